"""Work on a pack: trained to its end in strides, read at its evaluations, gone on with from any checkpoint."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
import torch

from explorer.goals import Goal
from explorer.launch.earlier import Stop, stopper_mark
from explorer.launch.pack_work import PackWork
from explorer.launch.packing import Orders, Pack, PlannedTrial
from explorer.stopping import STOPPERS, Stopper
from explorer.stopping.stopper import Histories
from explorer.sweep.sweep import Sweep
from tests.explorer.launch.small import configs, small_sweep
from trainables.evaluation.reading import Evaluation


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def order(sweep: Sweep, start: int = 0, end: int = 8) -> dict[str, Any]:
    """What a worker is handed."""
    pack = Pack(tuple(PlannedTrial(i, c, start, end) for i, c in configs(sweep).items()))
    return {
        "pack": pack.to_json(Orders.of(sweep)),
        "storage": sweep.resources.storage,
        "cpus": 1.0,
        "gpus": 0.0,
        "stopper": stopper_mark(sweep),
    }


Told = list[tuple[int, dict[str, tuple[Evaluation, Stop | None]]]]


def worked(work: PackWork) -> Told:
    """(iteration, evaluations by trial) of every step that had any, to the end."""
    told: Told = []
    while True:
        result = work.step()
        if "payload" in result:
            told.append((result["iteration"], pickle.loads(result["payload"])))
        if result["done"]:
            return told


def checkpoints(sweep: Sweep) -> dict[str, list[str]]:
    return {
        i: sorted(p.name for p in (Path(sweep.resources.storage or "") / i).iterdir()) for i in configs(sweep)
    }


def test_a_pack_is_evaluated_on_its_way_and_read_at_its_end(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path)
    told = worked(PackWork(order(sweep)))
    assert [iteration for iteration, _ in told] == [4, 8]
    for iteration, evaluations in told:
        assert set(evaluations) == set(configs(sweep))
        for evaluation, stop in evaluations.values():
            assert (evaluation.iteration, evaluation.final, stop) == (iteration, iteration == 8, None)
            methods = [r.key for r in evaluation.readings]
            assert methods == ([("none", 1.0), ("obrs", 2.0)] if iteration == 8 else [("none", 1.0)])
            assert evaluation.diagnostics["train_seconds"] > 0
    assert checkpoints(sweep) == {trial: ["8.pt"] for trial in configs(sweep)}


def test_a_pack_that_died_goes_on_and_ends_alike(tmp_path: Path) -> None:
    whole = worked(PackWork(order(small_sweep(tmp_path / "a"))))[-1][1]
    sweep = small_sweep(tmp_path / "b")
    dying = PackWork(order(sweep))
    while "payload" not in dying.step():
        pass
    told = worked(PackWork(order(sweep, start=4)))
    assert [iteration for iteration, _ in told] == [4, 8], "what may not have been heard is said again"
    for trial, (evaluation, _) in told[-1][1].items():
        assert evaluation.metrics == whole[trial][0].metrics, "as if nothing had happened"


def test_a_trained_pack_is_only_read_and_may_be_read_differently(tmp_path: Path) -> None:
    worked(PackWork(order(small_sweep(tmp_path))))
    other = small_sweep(tmp_path, refinement={"budgets": [1, 3]}, evaluation={"samples": 30, "every": 4})
    before = checkpoints(other)
    ((iteration, evaluations),) = worked(PackWork(order(other, start=8)))
    assert iteration == 8
    for evaluation, _ in evaluations.values():
        assert [r.key for r in evaluation.readings] == [("none", 1.0), ("obrs", 3.0)]
        assert "train_seconds" not in evaluation.diagnostics, "nothing was trained"
    assert checkpoints(other) == before


def test_a_diverged_trial_is_told_and_its_neighbour_ends_well(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, space={"training.generator_lr": [0.001, 1e30]})
    good, bad = configs(sweep)
    told = worked(PackWork(order(sweep)))
    assert told[-1][1][good][0].metrics
    reason = told[-1][1][bad][0].diverged
    assert reason is not None
    assert reason.startswith("diverged: ")


@dataclass(frozen=True)
class Choosy(Stopper):
    """Ends trials of one λ after their first evaluation."""

    name: ClassVar[str] = "choosy"
    after: int = 1
    all: bool = False

    def stop(self, histories: Histories, goals: Sequence[Goal]) -> dict[str, str]:
        chosen = list(histories) if self.all else list(histories)[:1]
        seen = {trial: len(histories[trial]) for trial in chosen}
        return {trial: "chosen" for trial in chosen if seen[trial] >= self.after and len(histories) > 1}


@pytest.fixture
def choosy() -> Iterator[None]:
    STOPPERS.add(Choosy)
    yield
    STOPPERS.forget("choosy")


@pytest.mark.usefixtures("choosy")
def test_a_stopped_trial_is_read_where_it_stands_and_leaves_the_pack(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, stopping={"name": "choosy"})
    first, second = configs(sweep)
    told = worked(PackWork(order(sweep)))
    assert [(i, set(e)) for i, e in told] == [(4, {first, second}), (8, {second})]
    evaluation, stop = told[0][1][first]
    assert stop == Stop(4, stopper_mark(sweep), "chosen")
    assert evaluation.final
    assert [r.key for r in evaluation.readings] == [("none", 1.0), ("obrs", 2.0)]
    assert told[0][1][second][1] is None
    assert not told[0][1][second][0].final
    assert checkpoints(sweep) == {first: ["4.pt", "note.txt"], second: ["8.pt"]}


@pytest.mark.usefixtures("choosy")
def test_what_a_stopper_ended_before_is_said_again_after_a_death(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, stopping={"name": "choosy"})
    first, second = configs(sweep)
    dying = PackWork(order(sweep))
    while "payload" not in dying.step():
        pass
    told = worked(PackWork(order(sweep, start=4)))
    assert told[0][1][first][1] == Stop(4, stopper_mark(sweep), "chosen")
    assert told[0][1][first][0].final
    assert told[-1][0] == 8
    assert set(told[-1][1]) == {second}
    assert checkpoints(sweep)[first] == ["4.pt", "note.txt"], "it was not trained on"


@pytest.mark.usefixtures("choosy")
def test_under_another_stopper_a_stopped_trial_goes_on(tmp_path: Path) -> None:
    worked(PackWork(order(small_sweep(tmp_path, stopping={"name": "choosy", "all": True}))))
    sweep = small_sweep(tmp_path)
    assert list(checkpoints(sweep).values()) == [["4.pt", "note.txt"]] * 2
    told = worked(PackWork(order(sweep, start=4)))
    assert told[-1][0] == 8
    assert all(e.final and stop is None for e, stop in told[-1][1].values())


@pytest.mark.usefixtures("choosy")
def test_iterations_are_those_of_the_trials_alive(tmp_path: Path) -> None:
    work = PackWork(order(small_sweep(tmp_path, stopping={"name": "choosy"})))
    alive = {}
    while not (result := work.step())["done"]:
        alive[result["iteration"]] = result["alive"]
    assert (alive[4], result["iteration"], result["alive"]) == (2, 8, 1)


@pytest.mark.usefixtures("choosy")
def test_a_pack_of_which_all_were_stopped_is_done(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, stopping={"name": "choosy", "all": True})
    assert [i for i, _ in worked(PackWork(order(sweep)))] == [4]
    assert PackWork(order(sweep)).step()["alive"] == 0, "nothing is trained any more"
    ((_, again),) = worked(PackWork(order(sweep)))
    assert {stop.iteration for _, stop in again.values() if stop} == {4}
