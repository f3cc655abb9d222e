"""The front as a figure: who is on it, where points lie, and that no value is more than text."""

from __future__ import annotations

import json
import math
import time
from dataclasses import replace

import plotly.graph_objects as go
import pytest

from explorer.figures import DARK, LIGHT, FrontView, default_view, front_figure, themed
from explorer.figures.columns import MOST_TICKS
from explorer.figures.front import WEBGL_FROM
from explorer.goals import Direction, Goal
from explorer.pareto import rank
from explorer.results.catalogue import Catalogue
from explorer.results.table import TrialTable
from explorer.store.schema import PLAIN, At
from tests.app.made_sweep import HOSTILE_SWEEP, SPARKLE, read_table

K2, K4 = At("obrs", 2.0), At("obrs", 4.0)


def identities(figure: go.Figure, faded: bool) -> set[str]:
    return {
        c[0]
        for t in figure.data
        if t.customdata is not None and (t.marker.opacity < 1) == faded
        for c in t.customdata
    }


def places(figure: go.Figure) -> dict[str, tuple[float, float]]:
    return {
        c[0]: (u, v)
        for t in figure.data
        if t.customdata is not None
        for c, u, v in zip(t.customdata, t.x, t.y, strict=True)
    }


def trace(figure: go.Figure, name: str) -> go.Scatter:
    return next(t for t in figure.data if t.name == name)


@pytest.mark.parametrize("at", [PLAIN, K2])
def test_front_figure_separates_front_from_dominated(table: TrialTable, at: At) -> None:
    ranking = rank(table, at)
    figure = front_figure(table, ranking.ranks, FrontView(at=at))
    assert identities(figure, faded=False) == ranking.front
    assert identities(figure, faded=True) == {t.id for t in table} - ranking.front
    without = front_figure(table, ranking.ranks, FrontView(at=at, dominated=False))
    assert identities(without, faded=True) == set()
    assert f"{len(ranking.front)} of {len(table)} trials" in figure.layout.title.text


def test_points_lie_at_the_metrics_of_the_reading(table: TrialTable) -> None:
    figure = front_figure(table, rank(table, K4).ranks, FrontView(at=K4))
    assert places(figure) == {t.id: (t.readings[K4]["recall"], t.readings[K4]["precision"]) for t in table}
    assert "K = 4" in figure.layout.title.subtitle.text


def test_each_method_has_points_of_its_own(two_methods: TrialTable) -> None:
    ours, theirs = (
        front_figure(two_methods, rank(two_methods, at).ranks, FrontView(at=at, method=at.method))
        for at in (K2, At("other", 2.0))
    )
    assert places(ours).keys() == places(theirs).keys()
    assert all(places(ours)[i] != places(theirs)[i] for i in places(ours))
    assert "K = 2, other" in theirs.layout.title.subtitle.text


def test_a_trial_without_the_metric_is_left_out(table: TrialTable) -> None:
    first = replace(table.trials[0], readings={PLAIN: {}})
    part = replace(table, trials=(first, *table.trials[1:]))
    figure = front_figure(part, rank(part).ranks)
    assert identities(figure, True) | identities(figure, False) == {t.id for t in table.trials[1:]}


def test_a_failed_trial_counts_as_dominated(whole: TrialTable) -> None:
    (failed,) = (t for t in whole if t.status == "failed")
    figure = front_figure(whole, rank(whole).ranks)
    assert failed.id in identities(figure, faded=True)
    assert failed.id not in places(front_figure(whole, rank(whole, K2).ranks, FrontView(at=K2)))


def test_paths_are_drawn_on_demand_and_for_the_selected_trial(table: TrialTable) -> None:
    ranks = rank(table).ranks
    chosen = table.trials[0]
    names = {t.name for t in front_figure(table, ranks).data}
    assert "paths in K" not in names
    assert "selected" not in names
    figure = front_figure(table, ranks, FrontView(paths=True, selected=chosen.id))
    assert list(trace(figure, "path in K").x) == [chosen.readings[at]["recall"] for at in chosen.path("obrs")]
    assert trace(figure, "path in K").text[-1] == " K=4"
    assert sum(v is None for v in trace(figure, "paths in K").x) == len(table) - 1
    assert list(trace(figure, "selected").x) == [chosen.metrics["recall"]]


def test_paths_follow_the_method(two_methods: TrialTable) -> None:
    chosen = two_methods.trials[0]
    view = FrontView(selected=chosen.id, method="other")
    path = trace(front_figure(two_methods, rank(two_methods).ranks, view), "path in K")
    steps = (PLAIN, At("other", 2.0), At("other", 3.0))
    assert list(path.x) == [chosen.readings[at]["recall"] for at in steps]
    none = replace(view, method="nobody")
    names = {t.name for t in front_figure(two_methods, rank(two_methods).ranks, none).data}
    assert "path in K" not in names


def test_colour_by_number_is_a_bar_and_by_word_a_legend(table: TrialTable) -> None:
    ranks = rank(table).ranks
    by_lambda = front_figure(table, ranks, FrontView(colour="objective.lam"))
    assert by_lambda.layout.coloraxis.cmin == pytest.approx(math.log10(0.05))
    assert by_lambda.layout.coloraxis.cmax == pytest.approx(math.log10(20))
    by_name = front_figure(table, ranks, FrontView(colour="objective.name"))
    entries = {t.name for t in by_name.data if t.showlegend is None and t.x == (None,)}
    assert entries == {"pr", "kl", "hinge"}


def test_dark_means_better_whatever_the_direction(table: TrialTable) -> None:
    ranks = rank(table).ranks
    fid = front_figure(table, ranks, FrontView(colour="fid")).layout.coloraxis.colorscale
    coverage = front_figure(table, ranks, FrontView(colour="coverage")).layout.coloraxis.colorscale
    assert fid[0][1] == coverage[-1][1]


def test_axis_of_a_wide_parameter_is_logarithmic_and_has_no_staircase(table: TrialTable) -> None:
    figure = front_figure(table, rank(table).ranks, FrontView(x="objective.lam", y="fid"))
    assert figure.layout.xaxis.type == "log"
    assert "front line" not in {t.name for t in figure.data}


def test_the_line_bounds_what_is_reached(table: TrialTable) -> None:
    figure = front_figure(table, rank(table).ranks)
    line = list(zip(trace(figure, "front line").x, trace(figure, "front line").y, strict=True))
    for u, v in places(figure).values():
        assert any(x >= u and y >= v for x, y in line)
    for x, y in line:
        assert not any(u > x and v > y for u, v in places(figure).values())


def test_a_diagnostic_can_be_an_axis_where_it_was_seen(table: TrialTable) -> None:
    figure = front_figure(table, rank(table).ranks, FrontView(x="critic_loss", y="recall"))
    assert figure.layout.xaxis.title.text == "Critic loss"
    assert {i: x for i, (x, _) in places(figure).items()} == {t.id: t.metrics["critic_loss"] for t in table}
    beyond = FrontView(x="critic_loss", y="recall", at=K2)
    assert places(front_figure(table, rank(table, K2).ranks, beyond)) == {}


def test_a_metric_unknown_to_the_code_is_drawn_under_its_title(newer: TrialTable) -> None:
    view = default_view(newer)
    assert (view.x, view.y, view.colour) == ("recall", "precision", SPARKLE.key)
    figure = front_figure(newer, rank(newer).ranks, FrontView(x=SPARKLE.key, y="recall", colour=SPARKLE.key))
    assert figure.layout.xaxis.title.text == f"{SPARKLE.title} ←"
    assert figure.layout.coloraxis.colorbar.title.text == SPARKLE.title
    assert "recall and sparkle of samples" in figure.layout.title.text
    assert {x for x, _ in places(figure).values()} == {2.0, 3.0, 4.0, 5.0, 6.0}


def test_a_sweep_without_precision_and_recall_shows_its_own_goals(newer: TrialTable) -> None:
    trials = tuple(
        replace(t, readings={PLAIN: {k: t.metrics[k] for k in ("fid", "coverage", SPARKLE.key)}})
        for t in newer
    )
    other = replace(newer, trials=trials, goals=(Goal(SPARKLE.key, "min"), Goal("fid", "min")))
    view = default_view(other)
    assert (view.x, view.y, view.colour) == (SPARKLE.key, "fid", "coverage")


def test_a_sweep_with_one_goal_has_two_different_axes(newer: TrialTable) -> None:
    trials = tuple(
        replace(t, readings={PLAIN: {k: t.metrics[k] for k in ("coverage", "fid")}}) for t in newer
    )
    view = default_view(replace(newer, trials=trials, goals=(Goal("coverage", "max"),)))
    assert (view.x, view.y) == ("coverage", "fid")


def test_many_points_go_to_webgl(table: TrialTable) -> None:
    copies = -(-(WEBGL_FROM + 1) // len(table))
    trials = tuple(replace(t, id=f"{t.id}{i}") for i in range(copies) for t in table)
    many = replace(table, trials=trials)
    kinds = {t.type for t in front_figure(many, rank(many).ranks).data if t.customdata is not None}
    assert kinds == {"scattergl"}


def test_an_empty_table_is_drawn(table: TrialTable) -> None:
    empty = replace(table, trials=())
    assert "0 of 0" in front_figure(empty, {}).layout.title.text


def test_a_front_changes_its_theme_and_nothing_else(table: TrialTable) -> None:
    figure = front_figure(table, rank(table).ranks)
    light, dark = themed(go.Figure(figure), LIGHT), themed(go.Figure(figure), DARK)
    assert light.layout.template.layout.font.color == LIGHT.text
    assert dark.layout.template.layout.font.color == DARK.text
    assert light.data == dark.data == figure.data


def test_a_table_is_not_needed_to_have_objectives_as_axes(table: TrialTable) -> None:
    one = replace(table, goals=table.goals[:1])
    figure = front_figure(one, rank(one).ranks, FrontView(x="coverage", y="density"))
    assert "on the front of precision" in figure.layout.title.text


def test_nothing_in_a_figure_is_more_than_text(store_uri: str) -> None:
    hostile = read_table(store_uri, HOSTILE_SWEEP)
    figure = front_figure(hostile, rank(hostile).ranks, FrontView(colour="note", paths=True))
    shown = json.dumps(figure.to_plotly_json(), default=str)
    assert "<script" not in shown
    assert "<img" not in shown


@pytest.mark.parametrize("title", ["<A HREF='http://evil.example'>FID</A>", "R&D", "Rate & distortion"])
def test_a_title_is_escaped_once_whatever_its_case(table: TrialTable, title: str) -> None:
    entries = {key: replace(entry, title=title) for key, entry in table.catalogue.entries.items()}
    named = replace(table, catalogue=Catalogue(entries))
    layout = front_figure(named, rank(named).ranks).layout
    for text in (layout.title.text, layout.title.subtitle.text, layout.xaxis.title.text):
        assert "<A" not in text
        assert "<a" not in text
        assert "&amp;lt;" not in text
        assert "&amp;amp;" not in text


@pytest.mark.parametrize(
    "values", [(1e300, 1e-300, 5e-324), (1.6e308, -1.6e308, 5e-324), (1.6e308, 1.6e308, 1.0)]
)
@pytest.mark.parametrize("direction", ["min", "max"])
def test_extreme_numbers_are_drawn_on_axes_of_finite_length(
    table: TrialTable, values: tuple[float, ...], direction: Direction
) -> None:
    trials = tuple(
        replace(t, readings={PLAIN: {"a": v, "b": v}, K2: {"a": v, "b": v}})
        for t, v in zip(table.finished().trials[:3], values, strict=True)
    )
    odd = replace(table, trials=trials, goals=(Goal("a", direction), Goal("b", direction)))
    view = FrontView("a", "b", "a", paths=True)
    figure = front_figure(odd, rank(odd).ranks, view)
    assert len(places(figure)) == 3
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        length = axis.range[1] - axis.range[0]
        assert 0 < length < math.inf
        assert axis.type != "log" or (length / axis.dtick <= MOST_TICKS and axis.minor.ticks is None)


def test_time_grows_with_the_points_not_with_their_square(table: TrialTable) -> None:
    one = table.finished().trials[0]
    read = {At("obrs", 2 + i): {"precision": 0.5, "recall": 0.5} for i in range(50)}
    trials = tuple(
        replace(one, id=str(i), params={"word": f"w{i}"}, readings={**one.readings, **read})
        for i in range(400)
    )
    many = replace(table, trials=trials)
    began = time.perf_counter()
    front_figure(many, {})
    front_figure(many, {}, FrontView(colour="word"))
    assert time.perf_counter() - began < 1.2
