"""Small pictures come from stores on this machine, for few trials, and never instead of a page."""

from __future__ import annotations

import base64

import pytest

from app.thumbs import MOST_THUMBS
from explorer.results.columns import Columns
from explorer.results.store import ResultStore
from explorer.results.table import TrialTable
from explorer.store.schema import THUMB_FILE
from tests.app.running import run_part


def found(uri: str, table: TrialTable, rows: list[int]) -> dict[str, str]:
    def draw(uri, table, rows) -> None:
        import streamlit as st

        from app.thumbs import thumbs
        from explorer.results.columns import Columns

        st.session_state["found"] = thumbs(uri, Columns(table), rows)

    app = run_part(draw, uri=uri, table=table, rows=rows)
    assert not app.exception
    return app.session_state["found"]


@pytest.mark.usefixtures("store")
def test_the_pictures_are_those_of_the_runs(store_uri: str, table: TrialTable) -> None:
    pictures = found(store_uri, table, [0, 3])
    assert set(pictures) == {table.trials[0].id, table.trials[3].id}
    kept = ResultStore(store_uri).artifact_bytes(table.trials[3].run_id, THUMB_FILE)
    address = pictures[table.trials[3].id]
    assert base64.b64decode(address.removeprefix("data:image/png;base64,")) == kept


@pytest.mark.usefixtures("store")
def test_a_server_is_not_asked_and_many_are_cut(store_uri: str, table: TrialTable) -> None:
    assert found("http://localhost:1", table, [0]) == {}
    columns = Columns(table)
    every = found(store_uri, table, [0] * MOST_THUMBS + [len(columns) - 2])
    assert set(every) == {columns.ids[0]}
