"""Every row of the table of failures in docs/running.md, its fault injected into a real sweep."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.explorer.launch.conftest import Workplace
from tests.stores import empty_store

pytestmark = pytest.mark.cluster


SABOTEUR = '''
import os, pathlib, resource, signal
from dataclasses import dataclass
from typing import ClassVar

from trainables.metrics import Entry, Metric, Scores


@dataclass(frozen=True)
class Saboteur(Metric):
    """What goes wrong with samples that are wider than a hundred, and with those beyond a million."""

    name: ClassVar[str] = "saboteur"
    entries: ClassVar = (Entry("survived", "Survived", "Always 1.", "max", 0, 1),)
    wide: str = "nothing"
    wider: str = "nothing"
    marker: str = ""

    def measure(self, pair):
        width = float(pair.fake.abs().max())
        getattr(self, self.wider if width > 1e6 else self.wide if width > 100 else "nothing")()
        return Scores({"survived": 1.0})

    def nothing(self):
        pass

    def complain(self):
        raise LookupError("the samples of this trial are too wide")

    def die(self):
        os.kill(os.getpid(), signal.SIGKILL)

    def die_once(self):
        try:
            os.close(os.open(self.marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        self.die()

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
    - {name: saboteur, wide: %(wide)s, wider: %(wider)s, marker: "%(marker)s"}
space: {training.generator_lr: %(rates)s}
resources: {retries: %(retries)d, pack: %(pack)d, cpus: 2}
"""

NARROW, WIDE, WIDER, BEYOND = 0.001, 1e3, 1e9, 1e30
"""Learning rates, and so widths of samples; of the last they are not finite."""

GOOD = ("FINISHED", "")


class Sabotage:
    """A sweep over learning rates, and what goes wrong in it."""

    def __init__(
        self,
        place: Workplace,
        rates: Sequence[float],
        wide: str = "nothing",
        wider: str = "nothing",
        retries: int = 2,
        pack: int = 8,
    ) -> None:
        self.place, self.marker = place, place.folder / "struck"
        (place.folder / "saboteur.py").write_text(SABOTEUR)
        words = {"wide": wide, "wider": wider, "marker": self.marker, "rates": list(rates)}
        self.file = place.file("doomed", SWEEP % {**words, "retries": retries, "pack": pack})

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


def test_faults_that_are_one_trials_own(on_cluster: Workplace) -> None:
    """An evaluation that raises, one that asks for more memory than there is, and samples that are not finite."""
    sweep = Sabotage(on_cluster, (NARROW, WIDE, WIDER, BEYOND), wide="complain", wider="devour")
    said = sweep.run()
    found = sweep.ended()
    reason = "LookupError: the samples of this trial are too wide"
    assert (found[NARROW], found[WIDE]) == (GOOD, ("FAILED", reason))
    assert f"failed: {reason}" in said
    assert found[WIDER] == ("FAILED", "MemoryError: there was none left")
    assert found[BEYOND][0] == "FAILED"
    assert found[BEYOND][1].startswith("diverged: samples or critic are not finite at iteration 10")
    again = on_cluster.json_here("sweep", sweep.file, "--dry-run")
    assert (again["done"], again["diverged"], [len(pack) for pack in again["packs"]]) == (1, 1, [2]), (
        "what raised is tried again; what diverged would end the same"
    )


@pytest.mark.slow
def test_workers_that_are_killed_are_started_again_until_retries_are_exhausted(on_cluster: Workplace) -> None:
    sweep = Sabotage(on_cluster, (WIDE, WIDER), wide="die_once", wider="die", retries=1, pack=1)
    out, err = on_cluster.run("sweep", sweep.file, "--json", "--set", "resources.cpus=1")
    outcome = json.loads(out)  # and nothing of what Ray has to say about it
    assert (outcome["finished"], outcome["failed"]) == (1, 1)
    killed = "its process was killed or crashed, perhaps for want of memory; see Ray's logs"
    assert err.count(f"a pack of 1 starts again: {killed}") == 2
    assert f"1 trial failed: {killed}" in err
    assert "Traceback" not in err
    assert sweep.marker.exists()
    assert sweep.ended() == {WIDE: GOOD, WIDER: ("FAILED", killed)}
    assert set(on_cluster.runs("doomed")[1].values()) == {1}, "one run a trial"
    assert len(on_cluster.json_here("sweep", sweep.file, "--dry-run")["packs"]) == 1, "it is tried again"


@pytest.mark.slow
def test_memory_of_the_node_that_runs_out(workplace: Workplace) -> None:
    """Ray kills workers once a node's memory is used to a share of it; to less than is used anyway here."""
    sweep = Sabotage(workplace, (NARROW,), retries=0)
    empty_store(workplace.home)
    workplace.environment |= {"RAY_memory_usage_threshold": "0.001", "RAY_memory_monitor_refresh_ms": "50"}
    out, err = workplace.run("sweep", sweep.file, code=1)
    assert "Traceback" not in out + err
    (outcome,) = sweep.ended().values()
    assert outcome[0] == "FAILED"
    assert outcome[1].startswith("its process was killed: its node ran out of memory")


@pytest.mark.slow
def test_checkpoints_of_no_use_and_one_that_cannot_be_read(on_cluster: Workplace) -> None:
    import torch

    sweep = Sabotage(on_cluster, (0.001, 0.002, 0.003, 0.004, 0.005))
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
    assert "1 trial finished, 4 failed" in said
    assert {status for status, _ in sweep.ended().values()} == {"FINISHED"}, "they were, and still are"

    unreadable.rmdir()
    unreadable.write_bytes(whole)
    again = on_cluster.json_here("sweep", sweep.file, *more, "--dry-run")
    assert (again["done"], again["read"], again["iterations"]) == (1, 1, 60), "three are to be trained anew"


def test_checkpoints_that_cannot_be_written(on_cluster: Workplace) -> None:
    sweep = Sabotage(on_cluster, (WIDE,), wide="clog", retries=0)
    sweep.run(code=1)
    assert set(sweep.ended().values()) == {("FAILED", "OSError: [Errno 27] File too large")}
    (kept,) = sweep.checkpoints()
    assert [path.name for path in kept.parent.iterdir()] == ["10.pt"], "no half file"
    again = on_cluster.json_here("sweep", sweep.file, "--dry-run")
    assert (again["resumed"], again["iterations"]) == (1, 10), "it goes on from what was written before"


@pytest.mark.slow
def test_what_the_search_has_asked_is_damaged(
    on_cluster: Workplace, caplog: pytest.LogCaptureFixture
) -> None:
    sweep = Sabotage(on_cluster, (NARROW, WIDE))
    search = ("--set", "search.name=tpe", "--trials")
    assert "1 trial finished" in sweep.run(*search, "1")
    (memo,) = (on_cluster.home / "checkpoints" / "studies").iterdir()
    memo.write_bytes(b"\xff no memo " * 500)
    sweep.run(*search, "2")
    assert "the memo of the search is damaged (it is " in caplog.text
    assert sweep.ended() == {NARROW: GOOD, WIDE: GOOD}, "the first was suggested again, and not trained again"
    assert memo.with_name(f"{memo.name}.aside-1").read_bytes().startswith(b"\xff no memo"), "nothing is lost"
    again = on_cluster.json_here("sweep", sweep.file, *search, "2", "--dry-run")
    assert (again["done"], again["left"], again["outside"]) == (2, 0, 0)
