"""Books of a pack: what a checkpoint carries from one process to the next, and what is told again."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.launch.clock import Clock
from explorer.launch.pack_books import PackBooks
from explorer.launch.packing import PlannedTrial
from explorer.storage import open_files
from tests.explorer.launch.small import configs, made_up, small_sweep
from trainables.evaluation.reading import Evaluation
from trainables.faults import Fault
from trainables.training.checkpoints import CheckpointFolder
from trainables.training.population import Population


@pytest.fixture
def trials(tmp_path: Path) -> list[PlannedTrial]:
    return [PlannedTrial(name, config, 0, 8) for name, config in configs(small_sweep(tmp_path)).items()]


@pytest.fixture
def folder(tmp_path: Path) -> CheckpointFolder:
    return CheckpointFolder(open_files(str(tmp_path / "checkpoints")), lambda said: None)


def iterations(history: list[Evaluation]) -> list[int]:
    return [one.iteration for one in history]


def test_the_next_process_goes_on_with_what_the_last_one_knew(
    trials: list[PlannedTrial], folder: CheckpointFolder
) -> None:
    first, second = (trial.id for trial in trials)
    clock = Clock()
    books = PackBooks(trials, folder, 0.0, clock)
    population = Population([trial.config for trial in trials])
    seconds = books.train(population, trials, 3)
    assert (books.reached, books.at(first)) == (6, 3)
    books.add(first, made_up(2, final=False))
    books.add(first, made_up(3, final=False))
    books.save(population, trials)
    assert clock.spent.keys() == {"training", "checkpoints"}
    assert clock.spent["training"] == seconds

    states = folder.newest_states([first, second])
    after = PackBooks(trials, folder, 0.0, Clock())
    after.take_up(trials, states, 3)
    assert after.reached == 6
    assert iterations(after.histories([first])[first]) == [2], (
        "what was measured at the checkpoint is repeated"
    )
    assert {trial: iterations(known) for trial, known in after.told_again().items()} == {
        first: [2],
        second: [],
    }
    assert after.told_again() == {}, "once"
    assert after.metered(first, made_up(3, final=False)).diagnostics["train_seconds"] == pytest.approx(
        seconds / 2
    )


def test_who_has_no_checkpoint_begins_with_empty_books(
    trials: list[PlannedTrial], folder: CheckpointFolder
) -> None:
    books = PackBooks(trials, folder, 0.0, Clock())
    books.take_up(trials, {}, 0)
    assert (books.reached, books.told_again()) == (0, {})
    assert books.histories([trials[0].id]) == {trials[0].id: []}


def test_what_is_measured_again_counts_once(trials: list[PlannedTrial], folder: CheckpointFolder) -> None:
    books, trial = PackBooks(trials, folder, 0.0, Clock()), trials[0].id
    for iteration in (2, 4, 6, 4):
        books.add(trial, made_up(iteration, final=False))
    assert iterations(books.histories([trial])[trial]) == [2, 4]


def test_an_evaluation_without_readings_is_left_as_it_is(
    trials: list[PlannedTrial], folder: CheckpointFolder
) -> None:
    books = PackBooks(trials, folder, 0.0, Clock())
    books.train(Population([trial.config for trial in trials]), trials, 1)
    failed = Evaluation(1, final=False, fault=Fault("it raised", "evaluation"))
    assert books.metered(trials[0].id, failed) is failed
