"""Rows of a refined model: metrics in the order of the catalogue, and what a sample cost, in words."""

from __future__ import annotations

from dataclasses import replace
from math import isnan

import pytest

from explorer.refining.refined import Refined
from explorer.refining.table import costs, rows
from tests.explorer.refining.known_subject import normal_subject, read
from trainables.evaluation.settings import EvaluationConfig
from trainables.metrics.frechet import Frechet
from trainables.metrics.neighbours import Neighbours
from trainables.refinements.dgflow import DGFlow
from trainables.refinements.dot import Dot
from trainables.refinements.hard_truncation import HardTruncation
from trainables.refinements.mh import MetropolisHastings


@pytest.fixture(scope="module")
def found() -> Refined:
    return read(normal_subject())


def test_each_metric_is_a_row_with_a_value_for_each_budget(found: Refined) -> None:
    told = {row.key: row for row in rows(found)}
    assert list(told) == [name for name in found.readings[0].metrics if not name.endswith((".low", ".high"))]
    assert (told["precision"].title, told["fid"].title) == ("Precision", "FID")
    for key, row in told.items():
        assert row.values == tuple(one.metrics[key] for one in found.readings)
        assert len(row.values) == len(row.ends) == len(row.foretold) == 3


def test_intervals_stand_beside_their_metrics_and_are_no_rows(found: Refined) -> None:
    told = {row.key: row for row in rows(found)}
    for one, ends in zip(found.readings, told["precision"].ends, strict=True):
        assert ends == (one.metrics["precision.low"], one.metrics["precision.high"])
    assert not any("." in key for key in told)
    plain = read(normal_subject(evaluation=EvaluationConfig(samples=100)))
    assert {ends for row in rows(plain) for ends in row.ends} == {None}


def test_rows_come_in_the_order_of_the_catalogue_whatever_was_measured_first() -> None:
    for metrics in ((Frechet(), Neighbours()), (Neighbours(), Frechet())):
        evaluation = EvaluationConfig(samples=100, metrics=metrics)
        keys = [row.key for row in rows(read(normal_subject(evaluation=evaluation)))]
        assert keys == [entry.key for metric in metrics for entry in metric.entries]


def test_what_was_foretold_stands_beside_what_was_measured(found: Refined) -> None:
    assert found.foretold is not None
    told = {row.key: row for row in rows(found)}
    for name in ("precision", "recall"):
        assert told[name].foretold == tuple(found.foretold.at(budget)[name] for budget in (1.0, 1.5, 4.0))
    assert set(told["fid"].foretold) == {None}
    assert {value for row in rows(replace(found, foretold=None)) for value in row.foretold} == {None}


def test_a_metric_that_a_budget_lacks_leaves_its_place_empty(found: Refined) -> None:
    last = found.readings[-1]
    without = {name: value for name, value in last.metrics.items() if not name.startswith("precision")}
    spoilt = replace(found, readings=[*found.readings[:-1], replace(last, metrics=without)])
    (row,) = [row for row in rows(spoilt) if row.key == "precision"]
    assert [isnan(value) for value in row.values] == [False, False, True]
    assert [ends is None for ends in row.ends] == [False, False, True]


def test_costs_are_those_of_one_sample(found: Refined) -> None:
    told = costs(found)
    assert list(told) == ["samples", "acceptance", "calls of G", "calls of D", "gradients", "ms a sample"]
    draws = [one.ledger.draws for one in found.readings]
    assert draws[0] == 300 < draws[1] < draws[2]
    assert told["samples"] == ["300", "300", "300"]
    assert told["acceptance"] == [f"{300 / count:.4g}" for count in draws]
    assert told["calls of G"] == [f"{count / 300:.4g}" for count in draws]
    assert told["calls of D"] == ["0", *(f"{count / 300:.4g}" for count in draws[1:])]
    assert told["gradients"] == ["0", "0", "0"]
    for words, one in zip(told["ms a sample"], found.readings, strict=True):
        assert float(words) == pytest.approx(1000 * one.ledger.seconds / 300, rel=0.01)


@pytest.mark.parametrize(
    ("method", "generated", "scored", "gradients"),
    [
        (Dot(budgets=(4,)), "1", "3", "3"),
        (DGFlow(budgets=(5,)), "4", "3", "3"),
        (HardTruncation(budgets=(4,)), "1", "0", "0"),
        (MetropolisHastings(budgets=(4,)), "4", "4", "0"),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_costs_of_other_methods_are_those_that_are_promised(
    method: Dot | DGFlow | HardTruncation | MetropolisHastings, generated: str, scored: str, gradients: str
) -> None:
    told = costs(read(normal_subject(method, evaluation=EvaluationConfig(samples=100))))
    calls = [told[name][1] for name in ("calls of G", "calls of D", "gradients")]
    assert calls == [generated, scored, gradients]
    assert [told[name][0] for name in ("calls of G", "calls of D", "gradients")] == ["1", "0", "0"]
