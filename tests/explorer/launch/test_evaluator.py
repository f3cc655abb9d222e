"""Evaluations of a pack where memory is short: once more, alone, with what training held given back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.launch.clock import Clock
from explorer.launch.evaluator import Evaluator, give_back
from tests.explorer.launch.small import configs, small_sweep
from trainables.evaluation.evaluate import evaluate
from trainables.evaluation.reading import Evaluation
from trainables.evaluation.settings import ReadingPlan
from trainables.faults import Fault
from trainables.training.population import Population

SHORT = Fault("MemoryError: there was none left", "memory")


class Watched(Population):
    """Notes that it was closed."""

    closed = False

    def close(self) -> None:
        self.closed = True
        super().close()


def scarce(enough: Callable[[int], bool], seen: list[int]) -> Callable[..., list[Evaluation]]:
    """An evaluation whose last trial finds memory only where so many are evaluated at once."""

    def evaluated(population: Population, plan: ReadingPlan, final: bool) -> list[Evaluation]:
        found = evaluate(population, plan, final)
        seen.append(len(found))
        if not enough(len(found)):
            found[-1] = Evaluation(population.iteration, final, fault=SHORT)
        return found

    return evaluated


@pytest.mark.parametrize("enough", [True, False])
def test_who_was_short_of_memory_is_tried_again_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, enough: bool
) -> None:
    sweep = small_sweep(tmp_path, space={"objective.lam": [1, 2, 3]})
    population = Watched(list(configs(sweep).values()))
    whole = evaluate(population, sweep.plan, final=False)
    seen: list[int] = []
    monkeypatch.setattr(
        "trainables.evaluation.evaluate.evaluate", scarce(lambda size: enough and size == 1, seen)
    )
    clock = Clock()
    found = Evaluator(sweep.plan, "cpu", clock).of(population, final=False, trained=population)
    assert seen == [3, 1]
    assert population.closed, "graphs and what reads ahead give their memory back first"
    assert [one.fault for one in found] == [None, None, None if enough else SHORT]
    if enough:
        assert [one.metrics for one in found] == [one.metrics for one in whole]
    assert clock.spent["evaluation"] > 0


def test_alone_on_a_cpu_there_is_nothing_more_to_be_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = small_sweep(tmp_path, space={"objective.lam": [1]})
    population = Watched(list(configs(sweep).values()))
    seen: list[int] = []
    monkeypatch.setattr("trainables.evaluation.evaluate.evaluate", scarce(lambda size: False, seen))
    (found,) = Evaluator(sweep.plan, "cpu", Clock()).of(population, final=True, trained=population)
    assert (seen, found.fault, population.closed) == ([1], SHORT, False)


def test_where_there_is_enough_nothing_is_closed(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path)
    population = Watched(list(configs(sweep).values()))
    found = Evaluator(sweep.plan, "cpu", Clock()).of(population, final=False, trained=population)
    assert [one.fault for one in found] == [None, None]
    assert not population.closed
    give_back("cpu")
