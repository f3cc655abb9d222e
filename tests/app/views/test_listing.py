"""Trials as a table: the best first, numbers as numbers, and files of exactly what is shown."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle

import pandas as pd
import pytest

from app.views.listing import MOST_COLUMNS
from explorer.pareto import rank
from explorer.results.catalogue import Catalogue
from explorer.results.table import TrialTable
from explorer.store.schema import PLAIN, At
from tests.app.made_sweep import NEWER, SPARKLE, read_table
from tests.app.running import run_part


def drawn(table: TrialTable, at: At = PLAIN):
    def draw(table, ranking) -> None:
        from app.views.listing import listing

        listing(table, ranking)

    return run_part(draw, table=table, ranking=rank(table, at))


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
    assert list(plain.columns[:5]) == ["Trial", "λ", "objective.name", "seed", "Precision"]
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
    app = drawn(running)
    assert not app.exception
    assert len(app.dataframe[0].value) == 0
    app.toggle(key="listing all").set_value(True).run()
    assert not app.exception
    assert len(app.dataframe[0].value) == len(table)


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
    assert app.dataframe[0].value.shape[1] == 1 + 2 * MOST_COLUMNS
    measured = len(shown.metric_names())
    assert [c.value for c in app.caption] == [
        f"{500 + measured - 2 * MOST_COLUMNS:,} more columns are in the files."
    ]
    assert not drawn(table.finished()).caption
