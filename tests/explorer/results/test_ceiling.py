"""Ceilings as shares of what is possible, at a trial's own λ or at λ = 1, and how far below trials are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from explorer.results.ceiling import _share, ceiling_sentences, ceilings_of
from explorer.results.columns import Columns
from explorer.results.table import Trial
from explorer.store.schema import PLAIN
from tests.explorer.results.lambda_sweeps import grid
from tests.explorer.results.peaked import peaked


def told(trial: Trial, **numbers: float) -> Trial:
    return replace(trial, readings={PLAIN: {**trial.metrics, **numbers}})


def columns(*trials: Trial) -> Columns:
    return Columns(replace(grid().table, trials=trials))


def everything(found: Columns) -> np.ndarray:
    return np.ones(len(found), dtype=bool)


ONE, TWO, THREE = (replace(trial, id=name) for trial, name in zip(grid(1, 1).trials, "abc", strict=False))


def test_the_own_lambda_counts_and_else_one() -> None:
    own = told(ONE, generator_lipschitz=2.0, ceiling_alpha=0.5, ceiling_own=0.08)  # λ = 0.1
    params = {key: value for key, value in TWO.params.items() if key != "objective.lam"}
    other = told(replace(TWO, params=params, alphas=peaked(1.0)), generator_lipschitz=3.0, ceiling_alpha=0.95)
    found = ceilings_of(columns(own, other, THREE), np.ones(3, dtype=bool))
    assert found.rows.tolist() == [0, 1]
    assert found.lam.tolist() == [0.1, 1.0]
    assert found.lipschitz.tolist() == [2.0, 3.0]
    assert found.ceiling.tolist() == pytest.approx([0.8, 0.95])
    height = 0.9 + 0.01 * np.sin(1)
    assert found.reached.tolist() == pytest.approx([height, height])
    assert found.gap.tolist() == pytest.approx([0.8 - height, 0.95 - height])
    assert found.nearest(5).tolist() == [0, 1]
    words = ceiling_sentences(found)
    assert words[0].startswith("The steepness of generators caps 2 of 2 trials")
    assert "0.80 to 0.95" in words[0]
    assert words[-1].startswith("1 trial lies above")


def test_rows_and_unfinished_trials_are_left_out() -> None:
    capped = [told(trial, generator_lipschitz=2.0, ceiling_alpha=0.5) for trial in (ONE, TWO, THREE)]
    found = columns(capped[0], replace(capped[1], status="failed"), capped[2])
    assert ceilings_of(found, np.array([True, True, False])).rows.tolist() == [0]
    assert len(ceilings_of(columns(ONE), np.ones(1, dtype=bool))) == 0


def test_a_ceiling_that_rules_nothing_out_is_said_to() -> None:
    found = columns(told(THREE, generator_lipschitz=50.0, ceiling_own=1.0))  # λ = 1
    ceilings = ceilings_of(found, everything(found))
    assert not ceilings.binding.any()
    assert len(ceilings.nearest(5)) == 0
    assert "may be steep enough for any trade-off" in ceiling_sentences(ceilings)[0]
    nothing = columns(ONE)
    assert ceiling_sentences(ceilings_of(nothing, everything(nothing))) == []


def test_a_curve_that_is_not_known_has_no_distance() -> None:
    blind = columns(told(replace(ONE, alphas=()), generator_lipschitz=2.0, ceiling_own=0.05))
    found = ceilings_of(blind, everything(blind))
    assert np.isnan(found.reached).all()
    assert len(ceiling_sentences(found)) == 1
    far = columns(
        told(replace(ONE, params={"objective.lam": 1e-6}), generator_lipschitz=2.0, ceiling_own=1e-7)
    )
    assert np.isnan(ceilings_of(far, everything(far)).gap).all()


def test_a_share_below_one_is_not_told_as_one() -> None:
    assert [_share(value) for value in (0.5, 0.994, 0.9961, 0.99999)] == ["0.50", "0.99", "0.996", "0.99999"]
