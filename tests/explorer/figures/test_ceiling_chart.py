"""Every trial is tied to its own ceiling, and is picked by its identity."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from explorer.figures import ceiling_chart as module
from explorer.figures.ceiling_chart import ceiling_chart
from explorer.figures.chart import Points
from explorer.results.ceiling import ceilings_of
from explorer.results.columns import Columns
from explorer.store.schema import PLAIN
from tests.explorer.results.lambda_sweeps import grid


def capped() -> Columns:
    columns = grid(settings=2, lambdas=(1.0, 3.0, 10.0))
    trials = tuple(
        replace(
            t,
            readings={
                PLAIN: {**t.metrics, "generator_lipschitz": 2.0 + i, "ceiling_own": 0.9 if i % 2 else 1.0}
            },
        )
        for i, t in enumerate(columns.trials)
    )
    return Columns(replace(columns.table, trials=trials))


def test_points_are_those_of_the_ceilings() -> None:
    columns = capped()
    found = ceilings_of(columns, np.ones(len(columns), dtype=bool))
    chart = ceiling_chart(columns, found, columns.ids[3])
    caps, reached = (layer for layer in chart.layers if isinstance(layer, Points))
    np.testing.assert_array_equal(caps.y, found.ceiling)
    np.testing.assert_array_equal(reached.y, found.reached)
    np.testing.assert_array_equal(reached.y_high, found.ceiling)
    assert chart.keys == columns.ids
    assert chart.selected == (columns.ids[3],)
    assert chart.title.endswith("caps 9 of 18 trials")
    assert chart.x.low < 2.0 < 19.0 < chart.x.high


def test_many_trials_are_not_tied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_WHISKERS", 5)
    columns = capped()
    chart = ceiling_chart(columns, ceilings_of(columns, np.ones(len(columns), dtype=bool)))
    assert all(layer.y_high is None for layer in chart.layers if isinstance(layer, Points))
    assert chart.selected == ()
