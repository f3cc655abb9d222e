"""What is drawn, and where: pixels of saved pages in a real browser."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page

from explorer.figures.chart import Area, Axis, Band, Chart, Panel, Points, Scale, Sizes, Text, Words
from tests.app.chart.drawn import KEYS, X, Y, ask, at, colour_at, located, open_page, small, until

pytestmark = pytest.mark.browser

ACCENT = (59, 125, 216)


def test_points_lie_where_the_axes_say(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, small())
    for key, x, y in zip(KEYS, X, Y, strict=True):
        assert at(page, key) == pytest.approx(located(page, x, y), abs=0.01)
        assert colour_at(page, *at(page, key))[:3] == pytest.approx(ACCENT, abs=2)
    left, right = located(page, 0, 0), located(page, 1, 0)
    middle = located(page, 0.5, 0)
    assert middle[0] == pytest.approx((left[0] + right[0]) / 2)


def test_equal_factors_are_equal_steps_on_a_logarithmic_axis(page: Page, tmp_path: Path) -> None:
    x = np.array([1.0, 10.0, 100.0, 0.0, -5.0])
    spec = small(x=Axis("λ", 0.1, 1000, log=True), layers=[Points(x, Y, key=np.arange(5))])
    open_page(page, tmp_path, spec)
    a, b, c = (at(page, key)[0] for key in KEYS[:3])
    assert b - a == pytest.approx(c - b, abs=0.01)
    assert [ask(page, "at(a)", key) for key in KEYS[3:]] == [None, None]


def test_ten_thousand_points_are_where_few_would_be(page: Page, tmp_path: Path) -> None:
    n = 10_000
    x, y = np.full(n, 0.05), np.linspace(0.05, 0.95, n)
    x[7], y[7] = 0.8, 0.77
    keys = [f"k{i}" for i in range(n)]
    points = Points(x, y, key=np.arange(n), x_low=x - 0.1, x_high=x + 0.1, radius=4.0)
    open_page(page, tmp_path, small(layers=[points], keys=keys, card=None))
    assert colour_at(page, *at(page, "k7"))[:3] == pytest.approx(ACCENT, abs=3)
    red, _, blue, alpha = colour_at(page, *located(page, 0.87, 0.77))
    assert 30 < alpha < 140, "the interval is thin and pale"
    assert blue > red
    assert colour_at(page, *located(page, 0.5, 0.53))[3] == 0


def test_ends_of_intervals_inside_the_panel_have_caps(page: Page, tmp_path: Path) -> None:
    low, high = np.array([-9.0]), X[:1] + 0.2
    points = Points(X[:1], Y[:1], key=np.arange(1), x_low=low, x_high=high, radius=4.0)
    open_page(page, tmp_path, small(layers=[points], keys=KEYS[:1], card=None))
    (x, y), (left, _) = located(page, high[0], Y[0]), located(page, 0, Y[0])

    def inked(x: float, y: float) -> bool:
        return colour_at(page, x, y)[3] > 12

    assert [inked(x, y - 2), inked(x - 6, y - 2), inked(x - 6, y)] == [True, False, True]
    assert [inked(left + 3, y - 2), inked(left + 3, y)] == [False, True], "it goes on beyond the panel"


def test_a_ring_around_a_point_hides_it_not(page: Page, tmp_path: Path) -> None:
    points = Points(X[:2], Y[:2], key=np.arange(2), radius=5.0)
    hollow = np.ones(1, dtype=np.bool_)
    ring = Points(X[:1], Y[:1], colour="contrast", radius=11.0, hollow=hollow)
    before = Points(X[1:2], Y[1:2], colour="contrast", radius=5.0, hollow=hollow)
    open_page(page, tmp_path, small(layers=[points, ring, before], keys=KEYS[:2], card=None))
    assert colour_at(page, *located(page, X[0], Y[0]))[:3] == pytest.approx(ACCENT, abs=3)
    assert colour_at(page, *located(page, X[1], Y[1]))[:3] != pytest.approx(ACCENT, abs=30)


def test_colours_of_numbers_words_and_nothing(page: Page, tmp_path: Path) -> None:
    numbers = small(
        layers=[Points(X, Y, key=np.arange(5), colour=np.array([1.0, 10.0, 100.0, np.nan, 1e9]), radius=8.0)],
        colour=Scale("λ", 1, 100, ("#ff0000", "#0000ff"), log=True),
    )
    words = small(
        layers=[Points(X, Y, key=np.arange(5), colour=np.array([0, 1, 2, -1, 0]), radius=8.0)],
        colour=Words("word", ["a", "b", "c"], ["#ff0000", "category:2"]),
    )
    open_page(page, tmp_path, numbers, words)
    found = [colour_at(page, *at(page, key))[:3] for key in KEYS]
    assert found[0] == [255, 0, 0]
    assert found[1] == pytest.approx([128, 0, 128], abs=4)
    assert found[2] == found[4] == [0, 0, 255]
    assert max(found[3]) - min(found[3]) < 40, "no number is grey"
    page.locator("[data-key=chart-1]").scroll_into_view_if_needed()
    found = [colour_at(page, *at(page, key, "chart-1"), "chart-1")[:3] for key in KEYS]
    assert found[0] == found[4] == [255, 0, 0]
    assert found[1] == [0, 158, 115]
    assert found[2] == [0, 158, 115], "a word without a colour has that of its place"
    assert max(found[3]) - min(found[3]) < 40


def test_hollow_points_are_rings_and_sizes_grow_with_the_root(page: Page, tmp_path: Path) -> None:
    hollow = np.array([True, False, False, False, False])
    sizes = np.array([np.nan, 1.0, 2.0, 3.0, 4.0])
    spec = small(
        layers=[Points(X, Y, key=np.arange(5), hollow=hollow, radius=sizes)], sizes=Sizes("size", 1, 4)
    )
    open_page(page, tmp_path, spec)
    x, y = at(page, "ann")
    assert colour_at(page, x, y)[:3] == [255, 255, 255]
    assert colour_at(page, x + 5, y)[:3] != [255, 255, 255]
    x, y = at(page, "eve")
    assert colour_at(page, x + 9, y)[:3] == pytest.approx(ACCENT, abs=2)
    x, y = at(page, "ben")
    assert colour_at(page, x + 6, y)[:3] != pytest.approx(ACCENT, abs=2)


def test_bands_areas_and_words_are_in_their_places(page: Page, tmp_path: Path) -> None:
    layers = [
        Band(np.array([0.0, 0.4, np.nan, 0.6, 1.0]), np.full(5, 0.2), np.full(5, 0.4), opacity=0.5),
        Area(np.array([0.1, 0.3, 0.3, 0.1]), np.array([0.6, 0.6, 0.8, 0.8]), colour="#ff0000", opacity=1),
        Text(np.array([0.5]), np.array([0.9]), ["here"]),
    ]
    open_page(page, tmp_path, small(layers=layers))
    assert colour_at(page, *located(page, 0.21, 0.31))[3] == pytest.approx(128, abs=3)
    assert colour_at(page, *located(page, 0.51, 0.31))[3] == 0
    assert colour_at(page, *located(page, 0.21, 0.71)) == [255, 0, 0, 255]


def test_panels_share_axes_and_wrap(page: Page, tmp_path: Path) -> None:
    panels = [Panel(f"panel {i}", [Points(X[[i]], Y[[i]], key=np.array([i]))]) for i in range(4)]
    open_page(page, tmp_path, small(layers=[], panels=panels))
    places = [located(page, 0, 0, panel=i) for i in range(4)]
    assert len({y for _, y in places}) == 1
    assert len({x for x, _ in places}) == 4
    for i, key in enumerate(KEYS[:4]):
        assert at(page, key) == pytest.approx(located(page, X[i], Y[i], panel=i), abs=0.01)
    page.set_viewport_size({"width": 400, "height": 900})
    until(page, "window.__tradeoffCharts['chart-0'].host.dataset.drawn > 1")
    places = [located(page, 0, 0, panel=i) for i in range(4)]
    assert len({x for x, _ in places}) == 1
    assert len({y for _, y in places}) == 4


def test_square_axes_have_one_scale(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, small(y=Axis("y", 0, 0.5), square=True, layers=[]))
    a, b, c = located(page, 0, 0), located(page, 0.5, 0), located(page, 0, 0.5)
    assert b[0] - a[0] == pytest.approx(a[1] - c[1])


def test_dark_follows_the_system(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, small())
    light = page.evaluate("getComputedStyle(window.__tradeoffCharts['chart-0'].host).color")
    page.emulate_media(color_scheme="dark")
    until(page, "window.__tradeoffCharts['chart-0'].host.classList.contains('dark')")
    assert light == "rgb(28, 36, 48)"
    assert (
        page.evaluate("getComputedStyle(window.__tradeoffCharts['chart-0'].host).color")
        == "rgb(232, 236, 242)"
    )
    assert colour_at(page, *at(page, "cleo"))[:3] == pytest.approx(ACCENT, abs=2)


def test_a_phone_shows_all_of_it_and_never_scrolls_sideways(page: Page, tmp_path: Path) -> None:
    page.set_viewport_size({"width": 340, "height": 800})
    spec = small(
        title="A title that is far too long for one line of such a small screen " * 2,
        note="word " * 60,
        colour=Words("a very long title of colours", [f"word number {i}" for i in range(12)]),
        y=Axis("y", 0, 4, ticks=range(5), labels=["a very long name of a category" * 3] * 5),
    )
    open_page(page, tmp_path, spec, small())
    assert page.evaluate("document.documentElement.scrollWidth") <= 340
    left, right = located(page, 0, 0)[0], located(page, 1, 0)[0]
    assert right <= 340
    assert right - left > 160
    for key in KEYS:
        assert 0 <= at(page, key, "chart-1")[0] <= 340


def test_a_hidden_chart_is_drawn_when_it_is_shown(page: Page, tmp_path: Path) -> None:
    open_page(page, tmp_path, small())
    host = "window.__tradeoffCharts['chart-0'].host"
    page.evaluate(f"{host}.parentNode.style.display = 'none'")
    page.evaluate("document.body.style.width = '700px'")
    page.evaluate(f"{host}.parentNode.style.display = ''")
    until(page, f"{host}.dataset.drawn > 1 && {host}.querySelector('canvas').clientWidth < 700")


def test_axes_of_any_kind_are_drawn(page: Page, tmp_path: Path) -> None:
    nothing = np.array([])
    axes = [
        Axis("point", 1, 1),
        Axis("none", float("nan"), 1),
        Axis("wrong", -1, 10, log=True),
        Axis("tiny", 1e-12, 1.0000001e-12),
        Axis("wide", 1e-300, 1e300, log=True),
        Axis("words", -0.5, 2.5, ticks=(0, 1, 2), labels=("long " * 30, "", "‮evil")),
        Axis("", 0, 1e9),
    ]
    open_page(page, tmp_path, *(Chart(x, y, [Points(nothing, nothing)]) for x in axes[:3] for y in axes))
