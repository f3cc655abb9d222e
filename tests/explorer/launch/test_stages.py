"""Bases are trained once, waited for, gone on with after a kill, used by other sweeps, and missed when they fail."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from explorer.launch.claims import Claims
from explorer.sweep import load_sweep
from explorer.sweep.sweep import Sweep
from tests.explorer.launch.conftest import Workplace
from trainables.training.state_files import SAMPLER

pytestmark = pytest.mark.cluster

ITERATIONS, BASE_ITERATIONS = 120, 160

STAGED = f"""
model: {{generator: [8], critic: [8, 8]}}
base:
  objective: {{name: gan}}
  constraint: {{name: spectral, lipschitz: 1}}
  training: {{iterations: {BASE_ITERATIONS}, batch_size: 32}}
start: {{from: base}}
training: {{iterations: {ITERATIONS}, batch_size: 32, critic_first: 30}}
evaluation: {{samples: 100, every: 20}}
refinement: {{budgets: [1]}}
seeds: 2
space: {{objective.lam: [0.2, 5]}}
resources: {{pack: 4}}
"""


def identities(sweep: Sweep) -> tuple[set[str], set[str]]:
    """Bases and trials."""
    trials = [trial for point in sweep.space.grid() for trial in sweep.repeats(point)]
    return {t.start.base for t in trials if t.start is not None}, {t.identity() for t in trials}


def kill_at_work(place: Workplace, file: Path, trials: set[str]) -> None:
    """Start a sweep, and kill its driver once one of the trials has a checkpoint that it had not before."""
    checkpoints = place.home / "checkpoints"

    def written() -> set[Path]:
        return {path for trial in trials for path in checkpoints.glob(f"{trial}/*.pt")}

    before, deadline = written(), time.monotonic() + 200
    driver = place.start("sweep", file)
    while not written() - before:
        assert time.monotonic() < deadline, "no checkpoint was written"
        assert driver.poll() is None, driver.communicate()
        time.sleep(0.02)
    driver.send_signal(signal.SIGKILL)
    driver.communicate()


def beside_another_driver(place: Workplace, file: Path, bases: set[str]) -> Any:
    """The outcome of a sweep that is started while another driver trains its bases, and then is done with them."""
    folder, aside = place.home / "checkpoints", place.home / "aside"
    aside.mkdir()
    for base in bases:
        (folder / base).rename(aside / base)
    with pytest.MonkeyPatch.context() as here, Claims("staged", str(folder)) as claims:
        here.setenv("TRADEOFF_HOME", str(place.home))
        claims.take(bases, pytest.fail)
        driver = place.start("sweep", file, "--json")
        assert driver.stderr is not None
        assert "which sweep 'staged'" in driver.stderr.readline()
        assert not any((folder / base).exists() for base in bases)
        for base in bases:
            (aside / base).rename(folder / base)
    out, err = driver.communicate(timeout=280)
    assert driver.returncode == 0, err
    assert "2 bases, then 2 trials, 2 to be read, without training" in err
    return json.loads(out)


@pytest.mark.slow
def test_killed_with_half_a_base_and_with_half_a_trial_then_used_by_another_sweep(
    on_cluster: Workplace,
) -> None:
    file = on_cluster.file("staged", STAGED)
    bases, trials = identities(load_sweep(file))
    assert "2 bases, then 4 trials" in on_cluster.run_here("sweep", file, "--dry-run")[1]
    kill_at_work(on_cluster, file, bases)
    kill_at_work(on_cluster, file, trials)
    final = {base: (on_cluster.home / "checkpoints" / base / f"{BASE_ITERATIONS}.pt") for base in bases}
    trained = {base: path.stat().st_mtime_ns for base, path in final.items()}
    outcome = on_cluster.json_here("sweep", file)
    assert (outcome["trials"], outcome["finished"], outcome["failed"], outcome["bases"]) == (4, 4, 0, 2)
    assert outcome["iterations"] <= 4 * ITERATIONS, "bases are not trained again"
    statuses, counts = on_cluster.runs("staged")
    assert set(statuses) == bases | trials | {"parent"}
    assert set(statuses.values()) == {"FINISHED"}
    assert set(counts.values()) == {1}
    assert on_cluster.json_here("sweep", file)["iterations"] == 0

    other = on_cluster.file("other", STAGED.replace("[0.2, 5]", "[1]"))
    outcome = beside_another_driver(on_cluster, other, bases)
    assert (outcome["finished"], outcome["bases"], outcome["iterations"]) == (2, 2, 2 * ITERATIONS)
    assert {base: path.stat().st_mtime_ns for base, path in final.items()} == trained, "trained once"
    assert set(on_cluster.runs("other")[0]) == bases | identities(load_sweep(other))[1] | {"parent"}


CURVE = """
model: {generator: [8], critic: [8, 8], takes_lam: true}
base:
  objective: {name: pr, lams: [0.1, 10]}
  training: {iterations: 40, batch_size: 32}
start: {from: base, critic: kept}
training: {iterations: 0}
evaluation: {samples: 100, every: 60}
refinement: {budgets: [1]}
seeds: 2
space: {objective.lam: [0.1, 10]}
"""


@pytest.mark.slow
def test_a_curve_is_trained_once_and_read_at_any_lambda(on_cluster: Workplace) -> None:
    file = on_cluster.file("curve", CURVE)
    bases, trials = identities(load_sweep(file))
    assert (
        "2 bases, then 4 trials, 4 to be read, without" in on_cluster.run_here("sweep", file, "--dry-run")[1]
    )
    released, left = [], []
    with pytest.MonkeyPatch.context() as spied:
        release, leave = Claims.release, Claims.__exit__
        spied.setattr(Claims, "release", lambda self, base: (released.append(base), release(self, base)))
        spied.setattr(
            Claims, "__exit__", lambda self, *how: (left.append(dict(self._held)), leave(self, *how))[1]
        )
        outcome = on_cluster.json_here("sweep", file)
    assert set(released) == bases
    assert left == [{}], "bases were let go when they were over, not at the end"
    assert (outcome["finished"], outcome["bases"], outcome["iterations"]) == (4, 2, 80)
    on_cluster.reopen("curve")  # as after a kill at the end
    file.write_text(CURVE.replace("objective.lam: [0.1, 10]", "objective.lam: [0.1, 1, 10]"))
    # Without a cluster, since nothing is trained, and on whatever this machine has: a card is not needed to read.
    outcome = on_cluster.embedded().json_here("sweep", file, "--set", "resources.gpus=1")
    assert (outcome["finished"], outcome["reused"], outcome["iterations"]) == (6, 0, 0)
    more = identities(load_sweep(file))[1]
    assert trials < more
    statuses, counts = on_cluster.runs("curve")
    assert set(statuses) == bases | more | {"parent"}
    assert set(statuses.values()) == {"FINISHED"}
    assert set(counts.values()) == {1}
    left_behind = {p.name for trial in more for p in (on_cluster.home / "checkpoints" / trial).iterdir()}
    assert left_behind == {SAMPLER}, "what its model is made of, and no state"
    plan = on_cluster.json_here("sweep", file, "--dry-run")
    assert (plan["done"], plan["left"]) == (6, 0)


def test_a_base_that_diverges_fails_what_begins_at_it_without_training(on_cluster: Workplace) -> None:
    wild = STAGED.replace("batch_size: 32}", "batch_size: 32, generator_lr: 1e20, decay: 0}", 1)
    file = on_cluster.file("wild", wild)
    bases, trials = identities(load_sweep(file))
    _, err = on_cluster.run_here("sweep", file, code=1)
    assert "0 trials finished, 4 failed" in err
    assert "failed: its base" in err
    assert set(on_cluster.runs("wild")[0].items()) >= {(trial, "FAILED") for trial in bases | trials}
    assert not any((on_cluster.home / "checkpoints" / trial).exists() for trial in trials), "none was trained"
    plan = on_cluster.json_here("sweep", file, "--dry-run")
    assert (plan["doomed"], plan["left"], plan["iterations"]) == (4, 0, 0), "they would diverge again"
