"""Pointing, clicking, drawing by hand and walking by keys, on a saved page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from explorer.figures.chart import Axis, Card, CardRow, Line, Points
from tests.app.chart.drawn import KEYS, X, Y, at, drag, located, open_page, small, told, until

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
CARD = ".tradeoff .card"


def point(page: Page, key: str) -> None:
    x, y = at(page, key)
    page.mouse.move(x + 4, y + 3)


def test_the_card_says_what_is_known_and_nothing_else(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, small())
    card = page.locator(CARD)
    expect(card).to_be_hidden()
    point(page, "cleo")
    expect(card).to_have_text("Trial cleohashPrecision0.5FID12\u2009346")
    point(page, "ben")
    expect(card).to_have_text("Trial benhashPrecision0.3")
    point(page, "eve")
    expect(card).to_contain_text("10⁻⁷")
    page.mouse.move(*located(page, 0.8, 0.9))
    expect(card).to_be_hidden()


def test_hostile_text_stays_text(page: Page, tmp_path: Path) -> None:
    spec = small(
        title=HOSTILE,
        note=HOSTILE,
        alt=HOSTILE,
        x=Axis(HOSTILE, 0, 1, hint=HOSTILE),
        card=Card([HOSTILE] * 5, [HOSTILE] * 5, [CardRow(HOSTILE, [HOSTILE] * 5)]),
        thumbs={"cleo": "javascript:alert(1)", "dan": PIXEL, "ann": "https://example.org/x.png"},
    )
    open_page(page, tmp_path, spec)
    for key in ("cleo", "ann"):
        point(page, key)
        expect(page.locator(f"{CARD} strong")).to_have_text(HOSTILE)
        expect(page.locator(f"{CARD} img")).to_have_count(0)
    point(page, "dan")
    expect(page.locator(f"{CARD} img")).to_have_attribute("src", PIXEL)
    assert page.title() == "Test"


def test_a_titles_hint_is_told(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, small())
    x, y = located(page, 0.5, 0)
    page.mouse.move(x, y + 34)
    expect(page.locator(CARD)).to_have_text("Share of samples that look real.")


def test_points_at_one_place_are_counted(page: Page, tmp_path: Path) -> None:
    x = np.array([0.5, 0.5, 0.5, 0.1, 0.9])
    open_page(page, tmp_path, small(layers=[Points(x, x, key=np.arange(5))]))
    point(page, "ann")
    expect(page.locator(CARD)).to_contain_text("3 lie here")


def test_a_click_tells_the_key_once(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, small())
    page.mouse.click(*at(page, "dan"))
    page.mouse.click(*located(page, 0.9, 0.9))
    assert told(page) == [{"event": "picked", "value": "dan"}]
    page.wait_for_timeout(450)
    page.mouse.dblclick(*at(page, "ann"))
    assert told(page)[1:] == [{"event": "picked", "value": "ann"}]


def test_a_line_with_a_key_is_picked_and_one_with_a_name_is_read(page: Page, tmp_path: Path) -> None:
    lines = [Line(X, Y, key="cleo", name="mine"), Line(X, 1 - Y, name="named"), Line(X, X / 9)]
    open_page(page, tmp_path, small(layers=lines))
    page.mouse.click(*located(page, 0.4, 0.675))
    assert told(page) == [{"event": "picked", "value": "cleo"}]
    page.mouse.click(*located(page, 0.4, 0.325))
    expect(page.locator(CARD)).to_contain_text("named")
    page.mouse.click(*located(page, 0.4, 0.4 / 9))
    assert len(told(page)) == 1


def test_points_that_stand_for_nothing_cannot_be_picked(page: Page, tmp_path: Path) -> None:
    spec = small(layers=[Points(X, Y, key=np.full(5, -1)), Points(X, 1 - Y)])
    open_page(page, tmp_path, spec)
    page.mouse.click(*located(page, X[1], Y[1]))
    page.mouse.click(*located(page, X[1], 1 - Y[1]))
    assert told(page) == []


def test_a_finger_shows_the_card_and_picks(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, small())
    x, y = at(page, "ben")
    page.evaluate(
        """([x, y]) => {
          const canvas = window.__tradeoffCharts['chart-0'].host.querySelector('canvas.over');
          const finger = { pointerType: 'touch', clientX: x, clientY: y, bubbles: true };
          for (const kind of ['pointerdown', 'pointerup', 'pointerleave']) {
            canvas.dispatchEvent(new PointerEvent(kind, finger));
          }
        }""",
        [x + 5, y - 5],
    )
    assert told(page) == [{"event": "picked", "value": "ben"}]
    expect(page.locator(CARD)).to_contain_text("Trial ben")
    assert page.locator("canvas.over").evaluate("c => getComputedStyle(c).touchAction") == "pan-y pinch-zoom"


def test_a_box_tells_units_of_the_data_and_is_let_go(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, small(x=Axis("λ", 0.01, 1, log=True)))
    drag(page, [located(page, 0.05, 0.9), located(page, 0.5, 0.2)])
    (event,) = told(page)
    assert event["event"] == "brushed"
    assert event["value"]["kind"] == "box"
    assert event["value"]["x"] == pytest.approx([0.05, 0.5], rel=0.02)
    assert event["value"]["y"] == pytest.approx([0.2, 0.9], abs=0.01)
    page.mouse.dblclick(*located(page, 0.02, 0.05))
    assert told(page)[-1] == {"event": "brushed", "value": None}


def test_a_lasso_tells_few_vertices_around_the_places(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, small())
    page.get_by_role("button", name="Draw around points").click()
    angles = np.linspace(0, 2 * np.pi, 60)
    ring = [located(page, 0.5 + 0.3 * np.cos(a), 0.5 + 0.3 * np.sin(a)) for a in angles]
    drag(page, ring)
    (event,) = told(page)
    points = np.array(event["value"]["points"])
    assert event["value"]["kind"] == "lasso"
    assert 20 <= len(points) <= 200
    radii = np.hypot(*(points - 0.5).T)
    assert radii == pytest.approx(np.full(len(points), 0.3), abs=0.02)


def test_a_drag_beyond_the_rim_ends_at_it(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, small())
    x, y = located(page, 1, 0)
    drag(page, [located(page, 0.6, 0.4), (x + 12, y + 200)])
    (event,) = told(page)
    assert event["value"]["x"][1] == pytest.approx(1)
    assert event["value"]["y"][0] == pytest.approx(0, abs=1e-9)


def test_without_a_way_to_choose_a_drag_zooms_and_a_double_click_shows_all(
    page: Page, tmp_path: Path
) -> None:
    open_page(page, tmp_path, small(select=()))
    whole = located(page, 0.9, 0.1)
    low, high = located(page, 0, 0), located(page, 1, 1)
    drag(page, [located(page, 0.2, 0.4), located(page, 0.6, 0.8)])
    assert located(page, 0.2, 0.4) == pytest.approx(low, abs=3)
    assert located(page, 0.6, 0.8) == pytest.approx(high, abs=3)
    page.mouse.dblclick(*located(page, 0.25, 0.45))
    assert located(page, 0.9, 0.1) == pytest.approx(whole)
    assert told(page) == []


def test_the_wheel_zooms_only_with_control(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, small())
    place = located(page, 0.25, 0.75)
    before = located(page, 1, 1)
    page.mouse.move(*place)
    page.mouse.wheel(0, -40)
    page.wait_for_timeout(100)
    assert located(page, 1, 1)[0] == pytest.approx(before[0])
    page.keyboard.down("Control")
    page.mouse.wheel(0, -40)
    page.keyboard.up("Control")
    until(page, "v => window.__tradeoffCharts['chart-0'].locate(1, 1)[0] > v + 5", before[0])
    assert located(page, 0.25, 0.75)[0] == pytest.approx(place[0], abs=1)


def test_keys_walk_pick_clear_and_zoom(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, small(selected=["ben"]))
    host = page.get_by_role("application", name="Five points.")
    host.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(CARD)).to_contain_text("Trial ben")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".live")).to_have_text("Trial cleo, Precision 0.5, FID 12\u2009346")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert told(page) == [{"event": "picked", "value": "dan"}]
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowUp")
    expect(page.locator(CARD)).to_contain_text("Trial ben")
    page.keyboard.press("Escape")
    expect(page.locator(CARD)).to_be_hidden()
    before = located(page, 1, 1)
    page.keyboard.press("+")
    assert located(page, 1, 1)[0] > before[0] + 10
    page.keyboard.press("-")
    page.keyboard.press("0")
    assert located(page, 1, 1) == pytest.approx(before)


def test_tools_are_reached_by_tab_and_the_menu_by_arrows(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, small())
    page.get_by_role("application").focus()
    for _ in range(6):
        page.keyboard.press("Tab")
    focused = "document.activeElement.getAttribute('aria-label') || document.activeElement.textContent"
    assert page.evaluate(focused) == "Save", "the reset has nothing to do yet"
    page.keyboard.press("Enter")
    assert page.evaluate(focused) == "Picture (PNG)"
    page.keyboard.press("ArrowDown")
    assert page.evaluate(focused) == "Drawing (SVG)"
    page.keyboard.press("Escape")
    assert page.evaluate(focused) == "Save"
    expect(page.get_by_role("menu")).to_be_hidden()


def test_every_key_can_be_reached_by_walking(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, small())
    page.get_by_role("application").focus()
    for key in KEYS:
        page.keyboard.press("ArrowRight")
        expect(page.locator(CARD)).to_contain_text(f"Trial {key}")
