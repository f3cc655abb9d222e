"""Trials of a pack begin at the final states of their bases, or say why they cannot."""

from __future__ import annotations

from pathlib import Path

from explorer.launch.base_states import base_states, unfit
from explorer.launch.packing import PlannedTrial
from tests.trainables.training.trials import trial
from trainables.config import TrialConfig
from trainables.start import Start
from trainables.training.checkpoints import CheckpointFolder
from trainables.training.population import Population

A, B = "a" * 12, "b" * 12


def planned(name: str, base: str | None, at: int = 0) -> PlannedTrial:
    config = TrialConfig(start=None if base is None else Start(base))
    return PlannedTrial(name, config, 0, 10, at)


class Counting(CheckpointFolder):
    loads = 0

    def load(self, trial: str, iteration: int) -> dict:  # type: ignore[type-arg]
        self.loads += 1
        return super().load(trial, iteration)


def test_each_base_is_loaded_once_and_a_missing_one_is_the_fault_of_who_needs_it(tmp_path: Path) -> None:
    folder = Counting(tmp_path)
    population = Population([trial()])
    population.advance(1)
    folder.save({A: population.state(0)})
    trials = [planned("1", A, 1), planned("2", None), planned("3", A, 1)]
    states, faults = base_states(trials, folder)
    assert faults == {}
    assert [state is None for state in states] == [False, True, False]
    assert folder.loads == 1
    states, faults = base_states([*trials, planned("4", B)], folder)
    assert list(faults) == ["4"]
    assert faults["4"].reason.startswith(f"the final state of its base {B} is gone")
    assert faults["4"].kind == "base"


def test_a_damaged_final_state_is_not_replaced_by_an_earlier_one(tmp_path: Path) -> None:
    said: list[str] = []
    folder = CheckpointFolder(tmp_path, said.append)
    folder.save({A: Population([trial()]).state(0)})
    (tmp_path / A / "5.pt").write_bytes(b"no state")
    _, faults = base_states([planned("1", A, 5)], folder)
    assert "is gone" in faults["1"].reason
    assert "5.pt" in said[0]
    assert "does not fit: it lacks 'x'" in unfit(planned("1", A), ValueError("it lacks 'x'")).reason
