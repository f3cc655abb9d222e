"""Trials as a table: the best first, numbers as numbers, and files of exactly what is shown."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle

import pandas as pd
import pytest

from app.views.listing import MOST_COLUMNS
from explorer.figures.front_marks import marks_of
from explorer.pareto import rank
from explorer.results.catalogue import Catalogue
from explorer.results.columns import Columns
from explorer.results.table import TrialTable
from explorer.store.schema import PLAIN, At
from tests.app.made_sweep import NEWER, SPARKLE, read_table
from tests.app.running import run_part


def drawn(table: TrialTable, at: At = PLAIN, seeds: bool = True, statuses: tuple[str, ...] = ("finished",)):
    def draw(table, at, seeds, statuses) -> None:
        from app.view import View
        from app.views.listing import listing
        from explorer.figures.front_marks import marks_of
        from explorer.results.columns import Columns
        from tests.app.scenes import scene_for

        scene = scene_for(Columns(table), View(budget=at.budget, statuses=frozenset(statuses)))
        listing(scene, marks_of(scene.columns, scene.shown, scene.x, scene.y, (scene.at,), seeds))

    app = run_part(draw, table=table, at=at, seeds=seeds, statuses=statuses)
    assert not app.exception
    return app


def test_the_front_comes_first_and_dominated_trials_on_demand(table: TrialTable) -> None:
    at = At("obrs", 2.0)
    shown, ranking = table.finished(), rank(table.finished(), at)
    app = drawn(shown, at)
    frame = app.dataframe[0].value
    assert set(frame["Trial"]) == ranking.front
    assert list(frame["Precision"]) == sorted(frame["Precision"], reverse=True)
    first = next(t for t in shown if t.id == frame["Trial"][0])
    assert frame["FID"][0] == first.readings[at]["fid"]
    assert "Rank" not in frame
    app.toggle(key="listing all").set_value(True).run()
    frame = app.dataframe[0].value
    assert len(frame) == len(shown)
    assert list(frame["Rank"]) == sorted(ranking.ranks.values())


def test_columns_are_what_varies_and_what_was_read_there(table: TrialTable) -> None:
    shown = table.finished()
    plain = drawn(shown).dataframe[0].value
    assert list(plain.columns[:3]) == ["Name", "Trial", "Precision"]
    assert list(plain.columns[-3:]) == ["λ", "objective.name", "seed"]
    assert "Critic loss" in plain
    beyond = drawn(shown, At("obrs", 2.0)).dataframe[0].value
    assert "Critic loss" not in beyond
    assert "Draws per sample" in beyond
    assert pd.api.types.is_numeric_dtype(plain["λ"])


def test_a_metric_unknown_to_the_code_is_a_column_under_its_title(store_uri: str) -> None:
    frame = drawn(read_table(store_uri, NEWER)).dataframe[0].value
    assert list(frame[SPARKLE.title]) == [2.0]


def test_two_metrics_of_one_title_are_two_columns(table: TrialTable) -> None:
    entries = {**table.catalogue.entries}
    entries["density"] = replace(entries["density"], title="Precision")
    frame = drawn(replace(table.finished(), catalogue=Catalogue(entries))).dataframe[0].value
    first = next(t for t in table if t.id == frame["Trial"][0])
    shown = frame.iloc[0].tolist()
    assert first.metrics["precision"] in shown
    assert first.metrics["density"] in shown


def test_no_trial_of_the_front_makes_an_empty_table(table: TrialTable) -> None:
    running = replace(table, trials=tuple(replace(t, status="running") for t in table))
    app = drawn(running, statuses=("running",))
    assert len(app.dataframe[0].value) == 0
    app.toggle(key="listing all").set_value(True).run()
    assert not app.exception
    assert len(app.dataframe[0].value) == len(table)


def test_a_row_per_configuration_has_the_means_of_its_point(table: TrialTable) -> None:
    columns = Columns(table)
    marks = marks_of(columns, columns.finished, "recall", "precision", (PLAIN,), seeds=False)
    app = drawn(table, seeds=False)
    app.toggle(key="listing all").set_value(True).run()
    frame = app.dataframe[0].value.set_index("Trial")
    assert len(frame) == len(marks) == 9
    for i, row in enumerate(marks.row):
        told = frame.loc[columns.ids[row]]
        assert (told["Recall"], told["Precision"]) == pytest.approx(tuple(marks.place[i]), rel=1e-12)
        assert told["Seeds"] == marks.count[i]
        assert told["P(front)"] == marks.chance[i]
    assert "seed" not in frame


def test_of_many_rows_the_best_are_shown(table: TrialTable, monkeypatch: pytest.MonkeyPatch) -> None:
    from app.views import listing as module

    monkeypatch.setattr(module, "MOST_ROWS", 5)
    app = drawn(table.finished())
    app.toggle(key="listing all").set_value(True).run()
    assert len(app.dataframe[0].value) == 5
    assert [c.value for c in app.caption] == ["The best 5; 21 more rows are in the files."]


def test_both_files_are_offered_and_made_when_they_are_asked_for(table: TrialTable) -> None:
    buttons = {b.proto.label: b.proto for b in drawn(table).get("download_button")}
    assert set(buttons) == {"CSV", "JSON"}
    for button in buttons.values():
        assert button.deferred_file_id
        assert not button.url, "the browser would ask for it, and at the next look it is gone"
        assert button.ignore_rerun


@pytest.mark.parametrize(("row", "chosen"), [(1, "b"), (7, None)])
def test_a_click_on_a_row_selects_its_trial(row: int, chosen: str | None) -> None:
    def draw(row) -> None:
        from types import SimpleNamespace

        import streamlit as st

        from app.views.listing import _take
        from app.wishes import wished

        st.session_state["rows"] = SimpleNamespace(selection=SimpleNamespace(rows=[row]))
        _take("made", "rows", ["a", "b"])
        st.text(str(wished("made").trial))

    assert run_part(draw, row=row).text[0].value == str(chosen)


def test_a_column_of_numbers_and_words_is_text(table: TrialTable, caplog: pytest.LogCaptureFixture) -> None:
    """Arrow has one kind of value a column; Streamlit would log a traceback and guess."""
    odd = cycle([1, "a", True, None])
    shown = replace(
        table, trials=tuple(replace(t, params={**t.params, "odd": next(odd)}) for t in table.finished())
    )
    app = drawn(shown)
    app.toggle(key="listing all").set_value(True).run()
    assert not [record for record in caplog.records if record.exc_info or "Arrow" in record.getMessage()]
    frame = app.dataframe[0].value
    assert set(frame["odd"].dropna()) == {"1", "a", "yes"}
    assert pd.api.types.is_numeric_dtype(frame["λ"])


def test_of_many_columns_some_are_shown_and_the_others_counted(table: TrialTable) -> None:
    shown = replace(
        table,
        trials=tuple(
            replace(
                t,
                params={f"p{i}": i + j for i in range(500)},
                readings={PLAIN: {**t.metrics, **{f"m{i}": 1.0 for i in range(500)}}},
            )
            for j, t in enumerate(table.finished())
        ),
    )
    app = drawn(shown)
    assert app.dataframe[0].value.shape[1] == 2 + 2 * MOST_COLUMNS
    measured = len(shown.metric_names())
    assert [c.value for c in app.caption] == [
        f"{500 + measured - 2 * MOST_COLUMNS:,} more columns are in the files."
    ]
    assert not drawn(table.finished()).caption


def test_a_column_of_the_title_of_ours_takes_nothing_away(table: TrialTable) -> None:
    named = [replace(t, params={**t.params, "Name": f"n{i}"}) for i, t in enumerate(table.finished())]
    frame = drawn(replace(table, trials=tuple(named))).dataframe[0].value
    assert frame["Name"][0].startswith("λ")
    assert frame["Name (Name)"][0].startswith("n")
