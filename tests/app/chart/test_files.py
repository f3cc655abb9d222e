"""Files that a chart saves of itself."""

from __future__ import annotations

import csv
import io
import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page

from explorer.figures.chart import Card, CardRow, Chart, Panel, Points, Scale
from tests.app.chart.drawn import KEYS, X, Y, at, open_page, small, told

pytestmark = pytest.mark.browser

EVIL = ("=1+1", "+cmd", "-2+3", "@SUM(A1)", 'plain, "quoted"')


def saved(page: Page, words: str) -> tuple[str, bytes]:
    """The name and the bytes of a file taken from the menu."""
    page.locator(".tradeoff").first.hover()
    page.get_by_role("button", name="Save", exact=True).first.click()
    with page.expect_download() as waiting:
        page.get_by_role("menuitem", name=words).first.click()
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


def hostile() -> Chart:
    return small(
        title="<b>&\x00\u202e",
        layers=[Points(X, Y, key=np.arange(5), colour=X, x_low=X - 0.1, x_high=X + 0.1)],
        colour=Scale("λ", 0, 1, ("#f00", "#00f")),
        card=Card(EVIL, rows=[CardRow("FID", np.array([1.5, np.nan, -3.0, 4, 5])), CardRow("=note", EVIL)]),
        file="../a b<c>",
    )


def test_a_picture_is_twice_as_large_and_has_the_background(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, small())
    name, data = saved(page, "PNG")
    picture = Image.open(io.BytesIO(data)).convert("RGB")
    box = page.locator("canvas.over").bounding_box()
    assert box is not None
    assert name == "tradeoff.png"
    assert picture.width == pytest.approx(2 * (box["width"] + 32), abs=2)
    assert picture.getpixel((3, 3)) == (255, 255, 255)
    colours = picture.getcolors(1 << 24)
    assert colours is not None
    assert (59, 125, 216) in {colour for _, colour in colours}


def test_a_drawing_is_xml_with_the_words_and_points(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, hostile())
    name, data = saved(page, "SVG")
    tree = ElementTree.fromstring(data)
    words = [element.text for element in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert name == "a-b-c.svg"
    assert "<b>&" in words
    assert "Precision" in words
    assert {"{http://www.w3.org/2000/svg}script"}.isdisjoint(element.tag for element in tree.iter())
    circles = [path for path in tree.iter("{http://www.w3.org/2000/svg}path") if "A5 5" in path.get("d", "")]
    assert len(circles) >= 5


def test_a_table_has_a_row_per_point_and_no_formulas(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, hostile())
    _, data = saved(page, "CSV")
    rows = list(csv.DictReader(io.StringIO(data.decode(), newline="")))
    assert [row["key"] for row in rows] == list(KEYS)
    assert [row["name"] for row in rows] == ["'=1+1", "'+cmd", "'-2+3", "'@SUM(A1)", 'plain, "quoted"']
    assert [float(row["Precision"]) for row in rows] == pytest.approx(X)
    assert [float(row["Precision low"]) for row in rows] == pytest.approx(X - 0.1)
    assert [row["FID"] for row in rows] == ["1.5", "", "-3", "4", "5"]
    assert [float(row["λ"]) for row in rows] == pytest.approx(X)
    assert "'=note" in rows[0]


def test_no_two_columns_of_a_table_have_one_heading(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, small())
    _, data = saved(page, "CSV")
    headings = data.decode().splitlines()[0].split(",")
    assert len(set(headings)) == len(headings)
    assert {"Precision", "Recall", "FID"} <= set(headings)


def test_data_are_json_with_panels_and_lines(page: Page, tmp_path: Path) -> None:
    panels = [Panel(f"p{i}", [Points(X[[i]], Y[[i]], key=np.array([i]))]) for i in range(2)]
    open_page(page, tmp_path, small(panels=panels, layers=small().layers[:1]))
    _, data = saved(page, "JSON")
    rows = json.loads(data)["rows"]
    assert [row["panel"] for row in rows if row["key"]] == ["p0", "p1"]
    assert [row["y"] for row in rows if row["layer"] == "Front" and row["panel"] == "p1"] == list(Y)


def test_a_page_stands_alone_and_is_alive(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, small(title="</script><b>"))
    _, data = saved(page, "HTML")
    text = data.decode()
    assert "default-src 'none'" in text
    assert not re.search(r"(src|href)=[\"']?https?:", text)
    copy = tmp_path / "copy.html"
    copy.write_bytes(data)
    page.goto(copy.as_uri())
    page.wait_for_selector("[data-key=chart-0][data-drawn]")
    page.mouse.click(*at(page, "cleo"))
    assert told(page) == [{"event": "picked", "value": "cleo"}]
    assert page.title() == "</script><b>"
    _, again = saved(page, "HTML")
    assert again == data
