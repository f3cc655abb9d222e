"""A sweep whose checkpoints lie in an object store, as a user runs it: killed, taken up again, read again."""

from __future__ import annotations

import signal
import time

import pytest

from explorer.storage import open_files
from tests.explorer.launch.conftest import Workplace
from tests.object_store import ObjectStore
from trainables.training.state_files import StateFiles, iterations_in

pytestmark = pytest.mark.cluster

TRIALS, ITERATIONS = 8, 150


def _wait_for_work(files: StateFiles) -> None:
    deadline = time.monotonic() + 200
    while len(files.listing()) < TRIALS:
        assert time.monotonic() < deadline, "no checkpoint was written"
        time.sleep(0.05)


@pytest.mark.slow
def test_a_killed_sweep_goes_on_from_the_store_and_is_read_from_it(
    object_store: ObjectStore, workplace: Workplace
) -> None:
    address = object_store.address("sweep")
    files = open_files(address)
    file = workplace.file(iterations=ITERATIONS, every=25, pack=8)
    there = ("--set", f"resources.storage={address}")

    driver = workplace.start("sweep", file, *there)
    _wait_for_work(files)
    driver.send_signal(signal.SIGKILL)
    driver.communicate()
    plan = workplace.json_here("sweep", file, *there, "--dry-run")
    assert plan["resumed"] == TRIALS
    assert plan["iterations"] < TRIALS * ITERATIONS

    outcome = workplace.json("sweep", file, *there)
    assert (outcome["finished"], outcome["failed"]) == (TRIALS, 0)
    assert outcome["iterations"] <= plan["iterations"], "it went on where it was killed"
    reached = {trial: max(iterations_in(names)) for trial, names in files.listing().items()}
    assert set(reached.values()) == {ITERATIONS}
    assert not (workplace.home / "checkpoints").exists()

    again = workplace.json_here("sweep", file, *there, "--set", "refinement.budgets=[1, 2, 4]")
    assert (again["finished"], again["iterations"]) == (TRIALS, 0)
    for trial in workplace.json_here("front", "tiny")["trials"]:
        assert set(trial["budgets"]) == {"1", "2", "4"}
