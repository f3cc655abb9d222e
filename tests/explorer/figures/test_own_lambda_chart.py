"""Squares of α_λ: the best of every column is framed, and cards say what each square is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from explorer.figures.chart import Area, Line, Panel, Text
from explorer.figures.own_lambda_chart import PANELS, own_lambda_chart
from explorer.results.audit import audit_lambda
from explorer.results.columns import Columns
from tests.explorer.results.lambda_sweeps import LAMBDAS, grid
from tests.explorer.results.peaked import peaked


def framed(panel: Panel) -> set[tuple[int, int]]:
    """Column and row of the squares with a frame that says they are best."""
    (frame,) = (layer for layer in panel.layers if isinstance(layer, Line) and layer.colour == "contrast")
    corners = zip(frame.x[::6], frame.y[::6], strict=True)
    return {(round(x + 0.47), round(y + 0.47)) for x, y in corners}


def test_the_best_of_every_column_is_framed() -> None:
    chart = own_lambda_chart(audit_lambda(grid(settings=1)))
    assert chart is not None
    (panel,) = chart.panels
    assert framed(panel) == {(i, i) for i in range(5)}
    (numbers,) = (layer for layer in panel.layers if isinstance(layer, Text))
    assert len(numbers.text) == 25
    assert panel.x is not None
    assert tuple(panel.x.labels) == ("0.1", "0.3", "1", "3", "10")
    assert "5 of 5" in chart.title
    squares = sum(np.isnan(layer.x).sum() for layer in panel.layers if isinstance(layer, Area))
    assert squares == 25


def test_cards_tell_trained_at_and_asked_for() -> None:
    columns = grid(settings=1)
    audit = audit_lambda(columns)
    chart = own_lambda_chart(audit)
    assert chart is not None
    assert chart.card is not None
    own = audit.groups[0].own
    assert own is not None
    place = chart.keys.index("0 1 4")
    assert chart.card.headings[place] == "trained at λ 0.3, read at λ 10"
    assert chart.card.rows[0].values[place] == own.shares[1][4]


def test_many_settings_are_cut_and_all_are_counted() -> None:
    chart = own_lambda_chart(audit_lambda(grid(settings=PANELS + 1, seeds=1)))
    assert chart is not None
    assert len(chart.panels) == PANELS
    assert f"of {5 * (PANELS + 1)} values" in chart.title
    assert f"{PANELS} of {PANELS + 1} settings are drawn" in chart.note
    assert len(chart.keys) == len(set(chart.keys)) == 25 * PANELS


def test_equal_models_are_all_best_and_unknown_ones_have_no_chart() -> None:
    columns = grid(settings=1)

    def all_of(alphas: tuple[float, ...]) -> Columns:
        return Columns(
            replace(columns.table, trials=tuple(replace(t, alphas=alphas) for t in columns.trials))
        )

    chart = own_lambda_chart(audit_lambda(all_of(peaked(1.0))))
    assert chart is not None
    assert len(framed(chart.panels[0])) == len(LAMBDAS) ** 2
    assert own_lambda_chart(audit_lambda(all_of(()))) is None
