"""Work on a pack of which some end early: a stopper or a rung ends them, the others go on."""

from __future__ import annotations

import multiprocessing
import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from explorer.goals import Goal
from explorer.launch.earlier import stopper_mark
from explorer.launch.engine.messages import Verdict
from explorer.launch.pack_work import PackWork
from explorer.launch.packing import Orders, Pack, PlannedTrial
from explorer.stopping import STOPPERS, Stopper
from explorer.stopping.stopper import Histories
from explorer.store.stop import Stop
from tests.explorer.launch.packs import checkpoints, order, stepped, streamed_sweep, worked
from tests.explorer.launch.small import configs, small_sweep
from trainables.evaluation.evaluate import evaluate
from trainables.evaluation.reading import Evaluation
from trainables.evaluation.settings import ReadingPlan
from trainables.training.population import Population

pytestmark = pytest.mark.usefixtures("threads")


def test_who_reads_ahead_is_gone_when_the_pack_is_over_or_shrinks(tmp_path: Path, choosy: None) -> None:
    work = PackWork(order(streamed_sweep(tmp_path, stopping={"name": "choosy"})))
    seen = []
    while True:
        result = work.step()
        seen.append(len(multiprocessing.active_children()))
        if result["done"]:
            break
    assert seen[-1] == 0
    assert set(seen) <= {0, 1}, "one worker at a time"


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
def choosy() -> None:
    STOPPERS.add(Choosy)


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
    reached = [work.step()["reached"] for _ in range(2)]
    assert reached == [2 * 4, 2 * 4 + 4]


@pytest.mark.usefixtures("choosy")
def test_a_pack_of_which_all_were_stopped_is_done(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, stopping={"name": "choosy", "all": True})
    assert [i for i, _ in worked(PackWork(order(sweep)))] == [4]
    again = PackWork(order(sweep, start=4)).step()
    assert (again["done"], again["reached"]) == (True, 0), "nothing is trained any more"
    assert {stop.iteration for _, stop in pickle.loads(again["payload"]).values()} == {4}


def test_trials_wait_at_a_rung_and_the_pack_goes_on_smaller(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, space={"objective.lam": [1, 2, 3]})
    first, second, third = configs(sweep)
    work = PackWork(order(sweep, end=4, final=False))
    result, told = stepped(work, "waiting")
    assert result["waiting"] == [first, second, third] == work.waiting
    assert {evaluation.iteration for evaluation, _ in told.values()} == {4}
    assert not any(evaluation.final for evaluation, _ in told.values())
    work.decide(Verdict({first: (8, True)}, {second: "halved: for a test"}))
    assert work.waiting == []
    result, told = stepped(work, "done")
    assert (told[first][0].iteration, told[first][0].final, told[first][1]) == (8, True, None)
    assert (told[second][0].iteration, told[second][0].final) == (4, True)
    assert told[second][1] == Stop(4, stopper_mark(sweep), "halved: for a test")
    assert third not in told, "it left the pack as it was, saved"
    names = {
        trial: [name for name in files if name.endswith(".pt")] for trial, files in checkpoints(sweep).items()
    }
    assert names == {first: ["8.pt"], second: ["4.pt"], third: ["4.pt"]}


def test_a_trial_that_lost_elsewhere_is_read_where_it_stands(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, space={"objective.lam": [1]})
    (trial,) = configs(sweep)
    stepped(PackWork(order(sweep, end=4, final=False)), "waiting")
    pack = Pack((PlannedTrial(trial, configs(sweep)[trial], 4, 4, stop="halved: elsewhere"),))
    _, told = stepped(PackWork({**order(sweep), "pack": pack.to_json(Orders.of(sweep))}), "done")
    evaluation, stop = told[trial]
    assert (evaluation.iteration, evaluation.final) == (4, True)
    assert stop == Stop(4, stopper_mark(sweep), "halved: elsewhere")


def test_losers_of_a_rung_are_read_some_at_a_time_and_nobody_waits_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("explorer.launch.pack_work._READ_AT_ONCE", 2)
    sweep = small_sweep(tmp_path, seeds=6, space={"objective.lam": [1]})
    winner, *losers = configs(sweep)
    work = PackWork(order(sweep, end=4, final=False))
    stepped(work, "waiting")
    work.decide(Verdict({winner: (8, True)}, dict.fromkeys(losers, "halved: for a test")))
    told = []
    while sum(told) < len(losers):
        result = work.step()
        assert "waiting" not in result
        told.append(len(pickle.loads(result["payload"])))
    assert told == [2, 2, 1]
    assert [(i, set(e)) for i, e in worked(work)] == [(8, {winner})]


def test_what_raises_after_a_verdict_goes_on_as_was_decided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = small_sweep(tmp_path, seeds=6, space={"objective.lam": [1]})
    first, second, silent, *losers = configs(sweep)
    work = PackWork(order(sweep, end=4, final=False))
    stepped(work, "waiting")
    troubles = iter([RuntimeError("a cosmic ray"), RuntimeError("and another")])

    def troubled(population: Population, plan: ReadingPlan, final: bool) -> list[Evaluation]:
        trouble = next(troubles, None)
        if trouble is not None:
            raise trouble
        return evaluate(population, plan, final)

    monkeypatch.setattr("trainables.evaluation.evaluate.evaluate", troubled)
    work.decide(
        Verdict(dict.fromkeys((first, second), (8, True)), dict.fromkeys(losers, "halved: for a test"))
    )
    told: dict[str, tuple[Evaluation, Stop | None]] = {}
    while True:
        result = work.step()
        assert "waiting" not in result
        told |= pickle.loads(result.get("payload", pickle.dumps({})))
        if result["done"]:
            break
    assert set(told) == {first, second, *losers}, f"{silent} left the pack, saved"
    assert {(one.iteration, one.final, one.fault) for one, _ in told.values()} == {
        (4, True, None),
        (8, True, None),
    }
    stop = Stop(4, stopper_mark(sweep), "halved: for a test")
    assert {trial: why for trial, (_, why) in told.items()} == {first: None, second: None} | dict.fromkeys(
        losers, stop
    )


@pytest.mark.usefixtures("choosy")
def test_what_raises_after_a_stopper_has_spoken_ends_whom_it_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = small_sweep(tmp_path, stopping={"name": "choosy"})
    first, second = configs(sweep)
    troubles = iter([RuntimeError("a cosmic ray")])

    def troubled(population: Population, plan: ReadingPlan, final: bool) -> list[Evaluation]:
        trouble = next(troubles, None) if final else None
        if trouble is not None:
            raise trouble
        return evaluate(population, plan, final)

    monkeypatch.setattr("trainables.evaluation.evaluate.evaluate", troubled)
    told = worked(PackWork(order(sweep)))
    last = {trial: one for _, evaluations in told for trial, one in evaluations.items()}
    assert {trial: (one.iteration, one.final) for trial, (one, _) in last.items()} == {
        first: (4, True),
        second: (8, True),
    }
    assert {trial: stop for trial, (_, stop) in last.items()} == {
        first: Stop(4, stopper_mark(sweep), "chosen"),
        second: None,
    }
