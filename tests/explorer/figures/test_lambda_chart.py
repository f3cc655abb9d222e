"""The chart of λ says what the table says: means of groups, trials by identity, hollow where λ did nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from explorer.figures.chart import Band, Line, Points
from explorer.figures.lambda_chart import GROUPS, drawn_groups, lambda_chart
from explorer.results.audit import audit_lambda
from explorer.results.columns import Columns
from explorer.results.lambda_columns import lambdas_of
from explorer.store.schema import PLAIN
from tests.explorer.results.lambda_sweeps import K2, LAMBDAS, continuous, grid, sweep


def lines(chart, panel: int) -> list[Line]:
    return [layer for layer in chart.panels[panel].layers if isinstance(layer, Line)]


def points(chart, panel: int) -> list[Points]:
    return [layer for layer in chart.panels[panel].layers if isinstance(layer, Points)]


def test_a_line_per_group_goes_through_the_means_at_the_reading() -> None:
    columns = grid(settings=2)
    audit = audit_lambda(columns, K2)
    chart = lambda_chart(columns, audit)
    assert [panel.y.title for panel in chart.panels if panel.y is not None] == ["Precision", "Recall"]
    for panel, metric in enumerate(("precision", "recall")):
        values = columns.metric(metric, K2).reshape(2, 5, 3).mean(axis=2)
        for line, expected in zip(lines(chart, panel), values, strict=True):
            assert line.x.tolist() == list(LAMBDAS)
            np.testing.assert_allclose(line.y, expected)
    names = [line.name for line in lines(chart, 0)]
    assert names[0].startswith("L 0 · ρ +0.9")
    assert len({line.colour for line in lines(chart, 0)}) == 2
    assert "K = 2" in chart.subtitle
    assert "95 % interval" in chart.subtitle
    assert chart.x.log
    assert tuple(chart.x.ticks) == LAMBDAS


def test_a_point_per_trial_is_picked_by_its_identity() -> None:
    columns = grid(settings=2)
    audit = audit_lambda(columns)
    chart = lambda_chart(columns, audit, columns.ids[4])
    picked = {}
    for layer in points(chart, 1):
        if layer.key is not None:
            picked |= {chart.keys[key]: (x, y) for key, x, y in zip(layer.key, layer.x, layer.y, strict=True)}
    recall = columns.metric("recall")
    assert picked == {
        identity: (lambdas_of(columns)[row], recall[row]) for row, identity in enumerate(columns.ids)
    }
    assert chart.selected == (columns.ids[4],)
    assert lambda_chart(columns, audit, "nobody").selected == ()
    assert chart.card is not None
    assert chart.card.headings[4] == columns.names[4]
    assert chart.card.notes[4] == columns.ids[4]


def test_inert_trials_are_hollow_and_the_note_says_so() -> None:
    chart = lambda_chart(*_audited(grid(settings=1, lam_inert=1.0)))
    (trials, _) = points(chart, 0)
    assert trials.hollow is not None
    assert trials.hollow.all()
    assert "Hollow" in chart.note
    assert "Hollow" not in lambda_chart(*_audited(grid(settings=1))).note


def _audited(columns: Columns):
    return columns, audit_lambda(columns)


def test_a_continuous_lambda_is_one_smooth_curve_with_a_band() -> None:
    columns = continuous()
    chart = lambda_chart(*_audited(columns))
    for panel in range(2):
        assert len(lines(chart, panel)) == 1
        assert sum(isinstance(layer, Band) for layer in chart.panels[panel].layers) == 1
    assert "smooth curve" in chart.subtitle
    assert chart.x.ticks == ()


def test_one_seed_has_no_interval_and_its_trials_are_the_points() -> None:
    chart = lambda_chart(*_audited(grid(settings=1, seeds=1)))
    (trials,) = points(chart, 0)
    assert trials.opacity == 1.0
    assert "interval" not in chart.subtitle


def test_many_settings_are_cut_and_the_selected_one_is_among_them() -> None:
    columns = grid(settings=GROUPS + 3, seeds=1)
    audit = audit_lambda(columns)
    last = audit.groups[-1]
    assert len(drawn_groups(audit)) == GROUPS
    assert last not in drawn_groups(audit)
    assert drawn_groups(audit, last.ids[0])[-1] is last
    chart = lambda_chart(columns, audit, last.ids[0])
    assert f"{GROUPS} of {GROUPS + 3} settings are drawn" in chart.note
    assert chart.selected == (last.ids[0],)
    assert {line.dash for line in lines(chart, 0)} == {"solid", "dash"}


def test_the_frame_stays_as_the_reading_changes_and_what_was_not_read_is_empty() -> None:
    columns = grid(settings=1)
    plain, refined = (lambda_chart(columns, audit_lambda(columns, at)) for at in (PLAIN, K2))
    for panel in range(2):
        one, other = plain.panels[panel].y, refined.panels[panel].y
        assert one is not None
        assert other is not None
        assert (one.low, one.high) == (other.low, other.high)
    blind = Columns(
        replace(columns.table, trials=tuple(replace(t, readings={PLAIN: t.metrics}) for t in columns.trials))
    )
    chart = lambda_chart(blind, audit_lambda(blind, K2))
    assert chart.keys == ()
    assert lines(chart, 0) == []


def test_lambda_without_a_place_on_a_log_axis_is_counted() -> None:
    columns = sweep((lam, 0, 1.0) for lam in (0.0, 0.5, 1.0, 2.0))
    assert "1 trial of λ ≤ 0" in lambda_chart(*_audited(columns)).note


@pytest.mark.parametrize("name", ["<script>x</script>", "a" * 500])
def test_names_stay_text(name: str) -> None:
    columns = grid(settings=1)
    trials = tuple(
        replace(trial, id=f"{trial.id}{i}", params={**trial.params, "note": note})
        for i, note in enumerate((name, "b"))
        for trial in columns.trials
    )
    chart = lambda_chart(*_audited(Columns(replace(columns.table, trials=trials))))
    assert any(name[:20] in line.name for line in lines(chart, 0))
