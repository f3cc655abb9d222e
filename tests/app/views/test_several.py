"""Three and more objectives: the figure, its files, and its place in a page that is saved."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from app import saving
from app.views import several as module
from explorer.figures.front_marks import marks_of
from explorer.results.columns import Columns
from explorer.store.schema import PLAIN
from tests.app.made_sweep import HOSTILE_SWEEP, MADE, read_table
from tests.app.running import run_part

pytestmark = pytest.mark.usefixtures("store")


def part(label: str, wishes: dict) -> None:
    import streamlit as st

    from app import saving
    from app.views.several import several
    from explorer.figures.front_marks import marks_of
    from tests.app.scenes import scene_here

    scene = scene_here(label, wishes)
    saving.begin()
    several(scene, marks_of(scene.columns, scene.shown, scene.x, scene.y, (scene.at,), False))
    st.session_state["page"] = saving.page(label)


@pytest.mark.parametrize("space", ["space", "parallel"])
@pytest.mark.parametrize("label", [MADE, HOSTILE_SWEEP])
def test_a_figure_comes_with_its_files_and_is_kept(space: str, label: str) -> None:
    app = run_part(part, label=label, wishes={"space": space})
    assert not app.exception
    assert len(app.get("plotly_chart")) == 1
    told = [button.proto.label for button in app.get("download_button")]
    assert told == ["Figure as HTML", "Figure as CSV", "Figure as JSON"]
    kept = list(app.session_state[saving.STATE].parts.values())
    assert [type(one).__name__ for one in kept] == ["Figure"]
    assert 'id="data-figure-1"' in app.session_state["page"]


def test_the_table_has_a_row_per_point_and_no_formula(store_uri: str) -> None:
    columns = Columns(read_table(store_uri))
    marks = marks_of(columns, columns.finished, "recall", "precision", (PLAIN,), seeds=False)
    rows = list(csv.DictReader(io.StringIO(module._csv(marks, ["recall", "=fid", "recall"]))))
    assert len(rows) == len(marks)
    assert [float(row["recall"]) for row in rows] == pytest.approx(list(marks.of("recall")))
    assert {row["trial"] for row in rows if row["front"] == "True"} == {
        columns.ids[row] for row in marks.row[marks.front]
    }
    assert "'=fid" in rows[0]


@pytest.mark.browser
@pytest.mark.parametrize("space", ["space", "parallel"])
def test_a_saved_page_draws_it_without_a_network(page: Page, tmp_path: Path, space: str) -> None:
    app = run_part(part, label=MADE, wishes={"space": space})
    errors: list[Any] = []
    page.on("pageerror", lambda error: errors.append(error))
    page.on("request", lambda request: errors.append(request.url) if request.url.startswith("http") else None)
    (tmp_path / "page.html").write_text(app.session_state["page"], encoding="utf-8")
    page.goto((tmp_path / "page.html").as_uri())
    page.wait_for_selector("#figure-1 .main-svg")
    assert page.evaluate("document.getElementById('figure-1').data.length") > 0
    assert page.locator("#figure-1 canvas").count() > 0
    assert not errors
