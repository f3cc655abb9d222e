"""Three and more objectives: points are configurations, keys are trials, scales suit, nothing is more than text."""

from __future__ import annotations

import json

import numpy as np
import plotly.graph_objects as go
import pytest

from explorer.figures.spaces import MOST_AXES, MOST_DOMINATED, parallel_figure, space_figure
from explorer.figures.theme import DARK, LIGHT, themed
from explorer.goals import Goal
from explorer.results.columns import Columns
from explorer.results.table import Scalar, Trial, TrialTable
from explorer.store.schema import PLAIN
from tests.app.made_sweep import HOSTILE_SWEEP, read_table

GOALS = (Goal("precision", "max"), Goal("recall", "max"), Goal("fid", "min"))


def _trial(row: int, metrics: dict[str, float], **params: Scalar) -> Trial:
    own = {path.replace("__", "."): value for path, value in params.items() if value is not None}
    return Trial(f"t{row}", f"run{row}", "finished", own, {PLAIN: metrics})


def _columns(*trials: Trial) -> Columns:
    return Columns(TrialTable("made", GOALS, trials))


def _few() -> Columns:
    """Two configurations of two seeds, the first better in all; a third one without λ, worse than both."""
    return _columns(
        _trial(
            0, {"precision": 0.9, "recall": 0.8, "fid": 1.0}, objective__name="pr", objective__lam=0.1, seed=0
        ),
        _trial(
            1, {"precision": 0.7, "recall": 0.6, "fid": 3.0}, objective__name="pr", objective__lam=0.1, seed=1
        ),
        _trial(
            2,
            {"precision": 0.5, "recall": 0.5, "fid": 50.0},
            objective__name="pr",
            objective__lam=10.0,
            seed=0,
        ),
        _trial(
            3,
            {"precision": 0.3, "recall": 0.3, "fid": 90.0},
            objective__name="pr",
            objective__lam=10.0,
            seed=1,
        ),
        _trial(4, {"precision": 0.1, "recall": 0.1, "fid": 99.0}, objective__name="kl", seed=0),
    )


def _parts(figure: go.Figure) -> dict[str, go.Scatter3d]:
    return {trace.name: trace for trace in figure.data}


def test_points_are_means_over_seeds_and_their_keys_are_trials() -> None:
    columns = _few()
    drawn = _parts(space_figure(columns, columns.finished, "recall", "precision", "fid", "fid"))
    assert set(drawn) == {"on the front", "dominated"}
    front, behind = drawn["on the front"], drawn["dominated"]
    assert (front.x[0], front.y[0], front.z[0]) == pytest.approx((0.7, 0.8, 2.0))
    assert sorted(behind.x) == pytest.approx([0.1, 0.4])
    assert front.opacity > behind.opacity
    assert front.customdata[0][0] in {"t0", "t1"}
    assert {key for (key,) in behind.customdata} <= {"t2", "t3", "t4"}
    assert "0.8" in front.hovertext[0]


def test_single_seeds_are_points_of_their_own() -> None:
    columns = _few()
    drawn = _parts(space_figure(columns, columns.finished, "recall", "precision", "fid", "fid", seeds=True))
    assert [key for (key,) in drawn["on the front"].customdata] == ["t0"]
    assert len(drawn["dominated"].x) == 4


def test_trials_that_are_not_shown_are_not_drawn() -> None:
    columns = _few()
    rows = np.array([False, False, True, True, True])
    drawn = _parts(space_figure(columns, rows, "recall", "precision", "fid", "fid"))
    assert len(drawn["on the front"].x) == len(drawn["dominated"].x) == 1
    nothing = space_figure(columns, np.zeros(5, dtype=bool), "recall", "precision", "fid", "fid")
    assert not nothing.data
    assert "0 of 0" in nothing.layout.title.text


def test_wide_axes_are_logarithmic_and_show_where_better_lies() -> None:
    columns = _few()
    scene = space_figure(columns, columns.finished, "recall", "objective.lam", "fid", "fid").layout.scene
    assert scene.xaxis.type is None
    assert scene.yaxis.type == scene.zaxis.type == "log"
    assert scene.xaxis.title.text == "Recall →"
    assert scene.yaxis.title.text == "λ"
    assert scene.zaxis.title.text == "FID ←"


def test_words_have_a_legend_and_numbers_a_bar() -> None:
    columns = _few()
    words = space_figure(columns, columns.finished, "recall", "precision", "fid", "objective.name")
    assert [trace.name for trace in words.data if trace.x[0] is None] == ["kl", "pr"]
    assert words.layout.coloraxis.colorbar.title.text is None
    hues = {trace.name: trace.marker.color for trace in words.data if trace.x[0] is None}
    assert set(_parts(words)["on the front"].marker.color) == {hues["pr"]}
    numbers = space_figure(columns, columns.finished, "recall", "precision", "fid", "fid")
    assert numbers.layout.coloraxis.colorbar.title.text == "FID"


@pytest.mark.parametrize("colour", ["rank", "chance", "reading", "nowhere", "seed"])
def test_whatever_a_reader_colours_by_is_drawn(colour: str) -> None:
    columns = _few()
    assert len(space_figure(columns, columns.finished, "recall", "precision", "fid", colour).data) >= 2
    parallel = parallel_figure(columns, columns.finished, ["precision", "fid"], colour).data[0]
    assert np.isfinite(np.asarray(parallel.line.color)).all()


def _many(count: int) -> Columns:
    rng = np.random.default_rng(0)
    values = rng.random((count, 3))
    trials = [
        _trial(row, {"precision": p, "recall": r, "fid": f + 1}, objective__lam=float(row), seed=0)
        for row, (p, r, f) in enumerate(values.tolist())
    ]
    return _columns(*trials)


def test_of_very_many_some_are_drawn_evenly_and_the_figure_says_so() -> None:
    columns = _many(5_000)
    for figure in (
        space_figure(columns, columns.finished, "recall", "precision", "fid", "fid"),
        parallel_figure(columns, columns.finished, ["precision", "recall", "fid"], "fid"),
    ):
        assert f"{MOST_DOMINATED:,} of 4," in figure.layout.title.subtitle.text
    drawn = _parts(space_figure(columns, columns.finished, "recall", "precision", "fid", "fid"))
    assert len(drawn["dominated"].x) == MOST_DOMINATED
    rows = [int(key[1:]) for (key,) in drawn["dominated"].customdata]
    assert rows == sorted(set(rows))
    assert max(np.diff(rows)) <= 12, "no stretch of them is left out"


def test_lines_have_the_front_on_top_and_grey_behind() -> None:
    columns = _few()
    names = ["precision", "fid", "objective.lam", "objective.name"]
    lines = parallel_figure(columns, columns.finished, names, "fid").data[0]
    assert [key for (key,) in lines.customdata][-1] in {"t0", "t1"}
    assert list(lines.line.color[:2]) == [0.0, 0.0]
    assert lines.line.color[2] >= 0.5
    precision, fid, lam, objective = lines.dimensions
    assert precision.label == "Precision ↑"
    assert fid.label == "FID ↓"
    assert list(fid.values)[-1] == pytest.approx(np.log10(2.0))
    assert fid.ticktext[0] == "1"
    assert "–" in lam.ticktext, "KL has no λ"
    assert min(lam.values) == lam.tickvals[lam.ticktext.index("–")] == lam.range[0]
    assert list(objective.ticktext) == ["kl", "pr"]


def test_there_are_as_many_axes_as_have_room() -> None:
    columns = _columns(_trial(0, {f"m{i}": 1.0 for i in range(40)}, seed=0))
    figure = parallel_figure(columns, columns.finished, [f"m{i}" for i in range(40)], "m0")
    assert len(figure.data[0].dimensions) == MOST_AXES


def test_nothing_is_more_than_text(store_uri: str) -> None:
    columns = Columns(read_table(store_uri, HOSTILE_SWEEP))
    axes = ("recall", "precision", columns.table.goals[2].metric)
    space = space_figure(columns, columns.finished, *axes, "note")
    parallel = parallel_figure(columns, columns.finished, [*axes, "note"], "note")
    shown = json.dumps(space.to_plotly_json(), default=str)
    assert "<script" not in shown
    assert "<img" not in shown
    lines = parallel.data[0]
    for text in (
        *(d.label for d in lines.dimensions),
        *lines.line.colorbar.ticktext,
        lines.line.colorbar.title.text,
    ):
        assert "<" not in text


def test_a_figure_changes_its_theme_and_nothing_else() -> None:
    columns = _few()
    figure = space_figure(columns, columns.finished, "recall", "precision", "fid", "fid")
    light, dark = themed(go.Figure(figure), LIGHT), themed(go.Figure(figure), DARK)
    assert light.layout.template.layout.scene.xaxis.gridcolor == LIGHT.axis
    assert dark.layout.template.layout.scene.xaxis.gridcolor == DARK.axis
    assert light.data == dark.data
