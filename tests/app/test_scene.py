"""What is drawn is what was wished for, as far as the sweep has it; what it has not gives way with a sentence."""

from __future__ import annotations

import numpy as np
import pytest

from app.brush import Brush
from app.filters import Bound, OneOf, Span
from app.scene import settled
from app.view import View
from explorer.figures.front_marks import marks_of
from explorer.goals import Goal
from explorer.results.columns import Columns
from explorer.results.table import TrialTable
from explorer.store.schema import PLAIN, At
from tests.app.scenes import scene_for


@pytest.fixture(scope="module")
def columns(table: TrialTable) -> Columns:
    return Columns(table)


def test_without_wishes_the_page_chooses(columns: Columns) -> None:
    scene = scene_for(columns)
    assert (scene.x, scene.y, scene.colour, scene.at) == ("recall", "precision", "fid", PLAIN)
    assert scene.complaints == ()
    assert np.array_equal(scene.kept, columns.finished)
    assert scene.shown is scene.kept
    assert scene.words == "K = 1"


def test_wishes_are_met(columns: Columns) -> None:
    view = View(
        x="coverage", y="density", colour=":reading", panel="objective.name", budget=2.0, trial=columns.ids[3]
    )
    scene = scene_for(columns, view)
    assert (scene.x, scene.y, scene.colour, scene.panel) == (
        "coverage",
        "density",
        ":reading",
        "objective.name",
    )
    assert scene.at == At("obrs", 2.0)
    assert scene.selected == columns.ids[3]
    assert scene.complaints == ()


@pytest.mark.parametrize(
    ("view", "sentence"),
    [
        (View(x="nope"), "there is no column 'nope' at K = 1; showing 'recall' instead."),
        (View(x="critic_loss", budget=2.0), "there is no column 'critic_loss' at K = 2"),
        (View(panel="nope"), "there is no column 'nope' for the panel."),
        (View(budget=3.0), "this sweep was not read at K = 3; it has K = 1, 1.5, 2, 4."),
        (View(method="magic"), "this sweep was not read through 'magic'; it has obrs."),
        (View(trial="123"), "this sweep has no trial '123'."),
        (
            View(filters=(Span("model.depth", 1.0, None),)),
            "this sweep has nothing to filter by 'model.depth'.",
        ),
    ],
)
def test_what_the_sweep_has_not_gives_way_with_a_sentence(
    columns: Columns, view: View, sentence: str
) -> None:
    (told,) = scene_for(columns, view).complaints
    assert told.startswith(sentence)


BOUNDED = (OneOf("objective.name", frozenset({"pr"})), Bound("precision", 0.7))
LEFT = Brush("box", ((0.0, 0.0), (0.5, 1.0)))


def test_of_single_seeds_filters_statuses_and_brush_narrow_in_turn(columns: Columns) -> None:
    kept = scene_for(columns, View(filters=BOUNDED, seeds=True)).kept
    expected = [
        t.status == "finished" and t.params["objective.name"] == "pr" and t.metrics["precision"] >= 0.7
        for t in columns.trials
    ]
    assert kept.tolist() == expected
    scene = scene_for(columns, View(filters=BOUNDED, brush=LEFT, seeds=True))
    assert np.array_equal(scene.kept, kept)
    assert np.array_equal(scene.shown, kept & (columns.metric("recall") <= 0.5))
    assert 0 < scene.shown.sum() < kept.sum()


@pytest.mark.parametrize("at", [PLAIN, At("obrs", 2.0)])
def test_of_means_bounds_and_brush_choose_configurations_with_all_their_seeds(
    columns: Columns, at: At
) -> None:
    scene = scene_for(columns, View(filters=BOUNDED, brush=LEFT, budget=at.budget))
    kept, shown = set(), set()
    for code in range(len(columns.first_rows)):
        rows = np.flatnonzero((columns.configurations == code) & columns.finished)
        name = columns.trials[rows[0]].params["objective.name"] if len(rows) else None
        if name == "pr" and columns.metric("precision", at)[rows].mean() >= 0.7:
            kept |= {*rows.tolist()}
            shown |= {*rows.tolist()} if columns.metric("recall", at)[rows].mean() <= 0.5 else set()
    assert {*np.flatnonzero(scene.kept).tolist()} == kept
    assert {*np.flatnonzero(scene.shown).tolist()} == shown
    assert 0 < len(shown) < len(kept)


def test_bounds_hold_means_of_whatever_status_is_shown(columns: Columns) -> None:
    (failed,) = np.flatnonzero(columns.statuses == "failed")
    low = float(columns.metric("precision")[failed])
    statuses = frozenset({"failed"})
    for limit, passes in ((low - 0.01, True), (low + 0.01, False)):
        view = View(filters=(Bound("precision", limit),), statuses=statuses)
        assert bool(scene_for(columns, view).kept[failed]) is passes


def test_every_point_brushed_alone_is_shown_alone(columns: Columns) -> None:
    for colour in (None, ":reading"):
        every = scene_for(columns, View(colour=colour, x="recall", y="precision"))
        ats = columns.readings if colour else (PLAIN,)
        for x, y in marks_of(columns, every.kept, "recall", "precision", ats, seeds=False).place:
            brush = Brush("box", ((x - 1e-9, y - 1e-9), (x + 1e-9, y + 1e-9)))
            scene = scene_for(columns, View(colour=colour, brush=brush))
            assert len(np.unique(columns.configurations[scene.shown])) == 1
            marks = marks_of(columns, scene.shown, "recall", "precision", ats, seeds=False)
            assert np.isclose(marks.place, (x, y)).all(axis=1).any(), "and lies where it was drawn"


def test_an_objective_that_nobody_has_is_told(columns: Columns) -> None:
    (told,) = scene_for(columns, View(goals=(Goal("nope", "max"), Goal("fid", "min")))).complaints
    assert told.startswith("no trial has the objective 'nope' at K = 1")


def test_other_objectives_change_the_front_and_not_the_table(columns: Columns) -> None:
    goals = (Goal("coverage", "max"),)
    scene = scene_for(columns, View(goals=goals))
    assert scene.columns.table.goals == goals
    assert columns.table.goals != goals
    assert scene_for(columns, View(goals=goals)).columns is scene.columns, "made once"


def test_another_reading_takes_away_what_it_has_not(columns: Columns) -> None:
    view = settled(View(x="critic_loss", y="density", colour="fid", budget=2.0), columns)
    assert (view.x, view.y, view.colour, view.budget) == (None, "density", "fid", 2.0)
    assert settled(View(budget=77.0), columns).budget == 1.0


def test_a_brush_belongs_to_its_plane(columns: Columns) -> None:
    brush = Brush("box", ((0.0, 0.0), (0.5, 1.0)))
    scene = scene_for(columns, View(x="nope", brush=brush))
    assert np.array_equal(scene.shown, scene.kept)
    assert any("another plane" in told for told in scene.complaints)
    assert settled(View(x="critic_loss", budget=2.0, brush=brush), columns).brush is None
    assert settled(View(x="coverage", budget=2.0, brush=brush), columns).brush == brush
