"""Every row of the table of failures in docs/running.md, its fault injected into a real sweep."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.explorer.launch.conftest import Workplace
from trainables.metrics import METRICS

pytestmark = pytest.mark.cluster


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Commands run in this process take the saboteur in; no other test should meet it."""
    yield
    METRICS.forget("saboteur")


SABOTEUR = '''
import os, pathlib, resource, signal
from dataclasses import dataclass
from typing import ClassVar

from trainables.metrics import Entry, Metric, Scores


@dataclass(frozen=True)
class Saboteur(Metric):
    """What goes wrong: once if there is a marker to set, else always; for samples wider than ``wide``."""

    name: ClassVar[str] = "saboteur"
    entries: ClassVar = (Entry("survived", "Survived", "Always 1.", "max", 0, 1),)
    what: str = "raise"
    marker: str = ""
    wide: float = 0.0

    def measure(self, pair):
        if float(pair.fake.abs().max()) > self.wide and self._once():
            getattr(self, self.what)()
        return Scores({"survived": 1.0})

    def _once(self):
        if not self.marker:
            return True
        try:
            os.close(os.open(self.marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return False
        return True

    def complain(self):
        raise LookupError("the samples of this trial are too wide")

    def die(self):
        os.kill(os.getpid(), signal.SIGKILL)

    def devour(self):
        here = int(pathlib.Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        before = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (here + 2**27, before[1]))
        try:
            bytearray(2**30)
        finally:
            resource.setrlimit(resource.RLIMIT_AS, before)

    def clog(self):
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))

'''

SWEEP = """
plugins: [saboteur]
model: {generator: [8], critic: [8, 8]}
objective: {name: gan}
refinement: {budgets: [1, 2]}
training: {iterations: 20, batch_size: 16}
evaluation:
  samples: 60
  every: 10
  metrics:
    - neighbours
    - frechet
    - {name: saboteur, what: %(what)s, marker: "%(marker)s", wide: %(wide)g}
space: {training.generator_lr: %(rates)s}
resources: {retries: %(retries)d}
"""

GOOD = ("FINISHED", "")


class Sabotage:
    """A sweep over learning rates, and what goes wrong in it."""

    def __init__(self, place: Workplace, what: str, once: bool = False, wide: float = 0.0,
                 rates: Sequence[float] = (0.001, 0.002, 0.003), retries: int = 2) -> None:  # fmt: skip
        self.place, self.struck = place, place.folder / "struck"
        (place.folder / "saboteur.py").write_text(SABOTEUR)
        marker = str(self.struck) if once else ""
        values = {"what": what, "marker": marker, "wide": wide, "rates": list(rates), "retries": retries}
        self.file = place.file("doomed", SWEEP % values)

    def run(self, *options: str, code: int = 0) -> str:
        """Launch it; what the user sees, which is never a traceback."""
        out, err = self.place.run_here("sweep", self.file, *options, code=code)
        assert "Traceback" not in out + err
        return err

    def ended(self) -> dict[float, tuple[str, str]]:
        """Status and reason of every trial by its learning rate, as MLflow has them."""
        runs = [r for r in self.place._found("doomed")[1] if r.data.tags["tradeoff.kind"] == "trial"]
        return {
            float(r.data.params["training.generator_lr"]): (
                r.info.status,
                r.data.tags.get("tradeoff.reason", ""),
            )
            for r in runs
        }

    def checkpoints(self) -> list[Path]:
        return sorted((self.place.home / "checkpoints").glob("*/*.pt"))


def test_an_evaluation_that_raises_and_samples_that_are_not_finite(on_cluster: Workplace) -> None:
    sweep = Sabotage(on_cluster, "complain", wide=100, rates=(0.001, 0.002, 1e3, 1e30))
    said = sweep.run("--set", "resources.pack=4", "--set", "resources.cpus=2")
    reason = "LookupError: the samples of this trial are too wide"
    found = sweep.ended()
    assert (found[0.001], found[0.002], found[1e3]) == (GOOD, GOOD, ("FAILED", reason))
    assert f"failed: {reason}" in said
    assert found[1e30][0] == "FAILED"
    assert found[1e30][1].startswith("diverged: samples or critic are not finite at iteration 10")
    again = on_cluster.json_here("sweep", sweep.file, "--dry-run")
    assert (again["done"], again["diverged"], [len(pack) for pack in again["packs"]]) == (2, 1, [1]), (
        "what raised is tried again; what diverged would end the same"
    )


def test_memory_that_runs_out_costs_the_trial_that_asked_for_it(on_cluster: Workplace) -> None:
    sweep = Sabotage(on_cluster, "devour", wide=100, rates=(0.001, 0.002, 1e3))
    sweep.run()
    failed = ("FAILED", "MemoryError: there was none left")
    assert sweep.ended() == {0.001: GOOD, 0.002: GOOD, 1e3: failed}


def test_a_worker_that_is_killed_is_started_again(on_cluster: Workplace) -> None:
    sweep = Sabotage(on_cluster, "die", once=True)
    out, err = on_cluster.run("sweep", sweep.file, "--json")
    assert sweep.struck.exists()
    outcome = json.loads(out)  # and nothing of what Ray has to say about it
    assert (outcome["finished"], outcome["failed"]) == (3, 0)
    assert "starts again: its process was killed or crashed" in err
    assert "Traceback" not in err
    assert set(sweep.ended().values()) == {GOOD}
    assert set(on_cluster.runs("doomed")[1].values()) == {1}, "one run a trial"


def test_retries_are_exhausted(on_cluster: Workplace) -> None:
    sweep = Sabotage(on_cluster, "die", retries=1)
    said = sweep.run("--set", "resources.cpus=2", code=1)
    assert (said.count("a pack of 3 starts again"), said.count("3 trials failed")) == (1, 1)
    reason = "its process was killed or crashed, perhaps for want of memory; see Ray's logs"
    assert set(sweep.ended().values()) == {("FAILED", reason)}
    assert len(on_cluster.json_here("sweep", sweep.file, "--dry-run")["packs"]) > 0, "they are tried again"


def test_memory_of_the_node_that_runs_out(workplace: Workplace) -> None:
    """Ray kills workers once a node's memory is used to a share of it; to less than is used anyway here."""
    sweep = Sabotage(workplace, "complain", wide=1e30, rates=(0.001,), retries=0)
    workplace.environment |= {"RAY_memory_usage_threshold": "0.001", "RAY_memory_monitor_refresh_ms": "50"}
    out, err = workplace.run("sweep", sweep.file, code=1)
    assert "Traceback" not in out + err
    (outcome,) = sweep.ended().values()
    assert outcome[0] == "FAILED"
    assert outcome[1].startswith("its process was killed: its node ran out of memory")


def test_checkpoints_of_no_use_and_one_that_cannot_be_read(on_cluster: Workplace) -> None:
    import torch

    sweep = Sabotage(on_cluster, "complain", wide=1e30, rates=(0.001, 0.002, 0.003, 0.004, 0.005))
    sweep.run()
    damaged, poisoned, older, unreadable, _ = sweep.checkpoints()
    damaged.write_bytes(damaged.read_bytes()[:1000])
    torch.save({**torch.load(poisoned), "unexpected": torch.zeros(1)}, poisoned)
    torch.save({**torch.load(older), "layout": torch.tensor(0)}, older)
    whole = unreadable.read_bytes()
    unreadable.unlink()
    unreadable.mkdir()  # permissions would not hold back root

    more = ("--set", "refinement.budgets=[1, 2, 3]")
    said = sweep.run(*more)
    for of_no_use in (damaged, poisoned, older):
        assert f"checkpoint {of_no_use} is of no use" in said
        assert of_no_use.with_name("20.pt.aside-1").exists()
    assert f"failed: checkpoint {unreadable} cannot be read: Is a directory" in said
    assert "1 trials finished, 4 failed" in said
    assert {status for status, _ in sweep.ended().values()} == {"FINISHED"}, "they were, and still are"

    unreadable.rmdir()
    unreadable.write_bytes(whole)
    again = on_cluster.json_here("sweep", sweep.file, *more, "--dry-run")
    assert (again["done"], again["read"], again["iterations"]) == (1, 1, 60), "three are to be trained anew"


def test_checkpoints_that_cannot_be_written(on_cluster: Workplace) -> None:
    sweep = Sabotage(on_cluster, "clog", once=True, rates=(0.001,), retries=0)
    sweep.run(code=1)
    (outcome,) = sweep.ended().values()
    assert outcome == ("FAILED", "OSError: [Errno 27] File too large")
    assert not [path for path in sweep.checkpoints()[0].parent.iterdir() if path.name != "10.pt"]
    assert on_cluster.json_here("sweep", sweep.file)["iterations"] == 10, (
        "it goes on from what was written before"
    )
    assert set(sweep.ended().values()) == {GOOD}
