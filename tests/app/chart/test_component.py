"""What a browser tells, and who hears of it."""

from __future__ import annotations

import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Page, expect

from app.chart.component import brush_of, picked_key
from explorer.figures.chart import Line
from tests.app.chart.drawn import WAIT, X, Y, at, drag, located, small
from tests.app.conftest import unused_port

SCRIPT = """
import numpy as np
import streamlit as st

from app import saving
from app.chart import chart
from tests.app.chart.drawn import small

saving.begin()
chart(
    small(selected=[st.session_state.get("key", "ann")], brush=st.session_state.get("brush")),
    "front",
    lambda key: st.session_state.update(key=key),
    lambda brush: st.session_state.update(brush=brush, brushes=st.session_state.get("brushes", 0) + 1),
)
st.text(f"picked {st.session_state.get('key')}")
st.text(f"brushes {st.session_state.get('brushes', 0)} {st.session_state.get('brush')}")
saving.button("The page")
"""

JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["kind", "x", "y", "points"]), inner),
)


def test_only_keys_of_the_chart_are_picked() -> None:
    spec = small(layers=[Line(X, Y, key="of the line")])
    assert picked_key(spec, "cleo") == "cleo"
    assert picked_key(spec, "of the line") == "of the line"
    assert [picked_key(spec, told) for told in ("nobody", "", None, 3, ["cleo"])] == [None] * 5


def test_a_box_and_a_lasso_are_numbers_in_order() -> None:
    assert brush_of({"kind": "box", "x": [1, 0], "y": [0.25, 2]}) == {
        "kind": "box",
        "x": [0, 1],
        "y": [0.25, 2],
    }
    lasso = {"kind": "lasso", "points": [[0, 0], [1, 0], [1, 1.5]], "more": 1}
    assert brush_of(lasso) == {"kind": "lasso", "points": [[0, 0], [1, 0], [1, 1.5]]}


@pytest.mark.parametrize(
    "told",
    [
        {"kind": "box", "x": [0, float("nan")], "y": [0, 1]},
        {"kind": "box", "x": [0, 10**400], "y": [0, 1]},
        {"kind": "box", "x": [0, True], "y": [0, 1]},
        {"kind": "box", "x": [0, 1, 2], "y": [0, 1]},
        {"kind": "lasso", "points": [[0, 0], [1, 1]]},
        {"kind": "lasso", "points": [[0, 0]] * 201},
        {"kind": "lasso", "points": [[0, 0], [1, 1], ["a", 2]]},
        {"kind": "circle"},
    ],
)
def test_other_shapes_are_none(told: object) -> None:
    assert brush_of(told) is None


@given(JUNK)
def test_whatever_a_browser_tells_is_a_brush_or_none(told: object) -> None:
    assert brush_of(told) is None or brush_of(told)["kind"] in ("box", "lasso")  # type: ignore[index]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Streamlit server whose page is one chart."""
    script = tmp_path_factory.mktemp("app") / "page.py"
    script.write_text(SCRIPT, encoding="utf-8")
    port = unused_port()
    options = ["--server.headless=true", f"--server.port={port}", "--browser.gatherUsageStats=false"]
    root = Path(__file__).parents[3]
    process = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", str(script), *options], cwd=root, stdout=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 120
    while True:
        try:
            with urllib.request.urlopen(f"http://localhost:{port}/_stcore/health", timeout=2):
                break
        except OSError:
            assert process.poll() is None, "the server ended before it answered"
            assert time.monotonic() < deadline, "no answer"
            time.sleep(0.1)
    yield f"http://localhost:{port}"
    process.terminate()
    process.wait(timeout=30)


@pytest.mark.browser
def test_what_the_reader_does_reaches_python_and_comes_back(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_selector("[data-key=front][data-drawn]", timeout=WAIT)
    page.mouse.click(*at(page, "dan", "front"))
    expect(page.get_by_text("picked dan")).to_be_visible(timeout=WAIT)
    page.wait_for_function("window.__tradeoffCharts.front.spec.selected[0] === 'dan'", timeout=WAIT)
    expect(page.locator(".tradeoff .card")).to_contain_text("Trial dan")

    drag(page, [located(page, x, y, "front") for x, y in ((0.2, 0.5), (0.6, 0.8))])
    page.wait_for_function("window.__tradeoffCharts.front.spec.brush?.kind === 'box'", timeout=WAIT)
    page.get_by_role("button", name="Let the chosen places go").click()
    expect(page.get_by_text("brushes 2 None")).to_be_visible(timeout=WAIT)
    page.wait_for_function("window.__tradeoffCharts.front.spec.brush === null", timeout=WAIT)


@pytest.mark.browser
def test_zoom_outlives_a_run_and_the_height_is_the_charts_own(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_selector("[data-key=front][data-drawn]", timeout=WAIT)
    before = located(page, 0.5, 0.5, "front")
    page.get_by_role("button", name="Zoom in", exact=True).click()
    zoomed = located(page, 0.9, 0.9, "front")
    page.mouse.click(*at(page, "cleo", "front"))
    page.wait_for_function("window.__tradeoffCharts.front.spec.selected[0] === 'cleo'", timeout=WAIT)
    assert located(page, 0.9, 0.9, "front") == pytest.approx(zoomed, abs=1)
    assert located(page, 0.5, 0.5, "front") == pytest.approx(before, abs=1)
    chart = page.locator("[data-key=front]").bounding_box()
    below = page.get_by_text("picked").bounding_box()
    assert chart is not None
    assert below is not None
    assert chart["height"] > 300
    assert below["y"] >= chart["y"] + chart["height"]


@pytest.mark.browser
def test_the_saved_page_is_made_when_asked_for_and_has_the_chart(
    page: Page, address: str, tmp_path: Path
) -> None:
    page.goto(address)
    page.wait_for_selector("[data-key=front][data-drawn]", timeout=WAIT)
    with page.expect_download(timeout=WAIT) as waiting:
        page.get_by_role("button", name="Save this page").click()
    assert waiting.value.suggested_filename == "The-page.html"
    file = tmp_path / "saved.html"
    waiting.value.save_as(file)
    page.goto(file.as_uri())
    page.wait_for_selector("[data-key=chart-0][data-drawn]", timeout=WAIT)
    page.mouse.click(*at(page, "eve"))
    assert page.evaluate("window.__tradeoffCharts['chart-0'].told") == [{"event": "picked", "value": "eve"}]
