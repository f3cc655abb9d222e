"""Columns know their kind, and what is offered at a reading is what some trial has there."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from explorer.figures import Column, colour_names, column, direction_of, numeric_names, score
from explorer.figures.columns import MOST_TICKS, log_axis
from explorer.results.table import TrialTable
from explorer.store.schema import PLAIN, At
from tests.app.made_sweep import SPARKLE


def test_columns_know_their_kind(table: TrialTable) -> None:
    assert column(table, "fid").direction == "min"
    assert column(table, "objective.lam").log
    assert not column(table, "precision").log
    assert not column(table, "objective.name").numeric
    assert column(table, "objective.lam").title == "λ"
    assert "objective.name" not in numeric_names(table)
    assert "objective.name" in colour_names(table)
    assert "acceptance" in numeric_names(table)


def test_a_column_is_read_at_its_reading(table: TrialTable) -> None:
    at = At("obrs", 4.0)
    assert column(table, "recall", at).values == tuple(t.readings[at]["recall"] for t in table)
    assert column(table, "recall").values == tuple(t.metrics["recall"] for t in table)
    assert column(table, "recall", At("obrs", 1.0)) == column(table, "recall")
    assert set(column(table, "recall", At("other", 4.0)).values) == {None}


def test_diagnostics_are_offered_where_training_was_looked_at(table: TrialTable) -> None:
    assert {"critic_loss", "train_seconds", "lam_inert"} <= set(numeric_names(table, PLAIN))
    beyond = numeric_names(table, At("obrs", 2.0))
    assert not {"critic_loss", "train_seconds", "lam_inert"} & {
        *beyond,
        *colour_names(table, At("obrs", 2.0)),
    }
    assert {"precision", "fid", "acceptance", "draws", "objective.lam"} <= set(beyond)
    assert "draws" not in numeric_names(table, PLAIN)


def test_metrics_come_in_the_catalogues_order_and_the_seed_is_no_axis(table: TrialTable) -> None:
    names = numeric_names(table)
    assert names[:5] == ["precision", "recall", "density", "coverage", "fid"]
    assert names[-1] == "objective.lam"
    assert "seed" not in {*names, *colour_names(table)}


def test_a_metric_unknown_to_the_code_is_a_column_like_others(newer: TrialTable) -> None:
    assert SPARKLE.key in numeric_names(newer)
    assert SPARKLE.key in colour_names(newer, At("obrs", 4.0))
    found = column(newer, SPARKLE.key)
    assert (found.title, found.direction, found.numeric) == (SPARKLE.title, "min", True)
    assert found.values == (2.0, 3.0, 4.0, 5.0, 6.0)


def test_the_sweeps_goals_say_more_than_the_catalogue(table: TrialTable) -> None:
    assert direction_of(table, "fid") == "min"
    assert direction_of(table, "coverage") == "max"
    assert direction_of(table, "acceptance") is None
    turned = replace(table, goals=tuple(replace(goal, direction="max") for goal in table.goals))
    assert direction_of(turned, "fid") == "max"


def test_values_that_are_absent_or_not_finite_are_none(table: TrialTable) -> None:
    trials = tuple(
        replace(t, readings={PLAIN: {"precision": value} if value is not None else {}})
        for t, value in zip(table, (0.5, math.inf, None), strict=False)
    )
    found = column(replace(table, trials=trials), "precision")
    assert found.values == (0.5, None, None)
    assert [math.isnan(v) for v in found.numbers()] == [False, True, True]


@pytest.mark.parametrize(
    ("values", "log"),
    [((1.0, 30.0), True), ((1.0, 10.0), False), ((0.0, 30.0), False), ((-1.0, 30.0), False)],
)
def test_wide_positive_values_are_spread_by_their_logarithm(
    table: TrialTable, values: tuple[float, float], log: bool
) -> None:
    trials = tuple(
        replace(t, readings={PLAIN: {"fid": v, "coverage": v}}) for t, v in zip(table, values, strict=False)
    )
    wide = replace(table, trials=trials)
    assert column(wide, "fid").log is log
    assert not column(wide, "coverage").log, "what is to be large is spread evenly"


def test_score_has_fixed_decimals() -> None:
    shown = [score(v) for v in (0.5, 12.3456, 250.0, None, math.inf)]
    assert shown == ["0.500", "12.346", "250.00", "–", "–"]


@pytest.mark.parametrize("value", [5e-324, 1e-300, 2.0, 1.7e308, 1.7976931348623157e308])
def test_every_value_has_a_place_on_a_logarithmic_scale_and_back(value: float) -> None:
    by = Column("x", "x", (value,), numeric=True, log=True, direction=None)
    assert by.value_at(by.level(value)) == pytest.approx(value, rel=0.02)
    assert math.isfinite(by.value_at(400.0)), "no place is beyond all floats"


@pytest.mark.parametrize(("decades", "step"), [(0.5, 1), (MOST_TICKS, 1), (MOST_TICKS + 1, 2), (631.0, 40)])
def test_a_logarithmic_axis_has_few_ticks_however_long_it_is(decades: float, step: int) -> None:
    assert log_axis(decades)["dtick"] == step
