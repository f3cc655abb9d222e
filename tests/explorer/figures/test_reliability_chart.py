"""Ratios against what is seen, as a chart: bins on both diagonals, both histograms, and the verdict in words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page

from explorer.figures.chart import Area, Chart, Layer, Line, Paths, Points
from explorer.figures.reliability_chart import reliability_chart
from explorer.results.reliability import RatioReliability, read_reliability
from tests.app.chart.drawn import at, colour_at, located, open_page
from tests.explorer.results.reliabilities import told

ACCENT, CONTRAST = (59, 125, 216), (224, 122, 47)


def read(**law: float) -> RatioReliability:
    found = read_reliability(told(**law))  # type: ignore[arg-type]
    assert found is not None
    return found


def layers(chart: Chart, panel: int, kind: type[Layer]) -> list[Layer]:
    return [layer for layer in chart.panels[panel].layers if isinstance(layer, kind)]


def test_bins_lie_at_what_was_expected_and_what_was_seen() -> None:
    found = read()
    chart = reliability_chart(found)
    assert [panel.title for panel in chart.panels] == [
        "Share of real points",
        "Kept at K = 4",
        "Where points lie",
    ]
    for panel, what in enumerate(("share", "acceptance")):
        points = [layer for layer in layers(chart, panel, Points) if isinstance(layer, Points)]
        keys = np.concatenate([np.asarray(layer.key) for layer in points])
        assert sorted(keys.tolist()) == list(range(10))
        for layer in points:
            np.testing.assert_array_equal(layer.x, found.bins[f"expected_{what}"][layer.key])
            np.testing.assert_array_equal(layer.y, found.bins[f"observed_{what}"][layer.key])
            np.testing.assert_array_equal(layer.y_low, found.bins[f"{what}_low"][layer.key])  # type: ignore[arg-type]
            np.testing.assert_array_equal(layer.y_high, found.bins[f"{what}_high"][layer.key])  # type: ignore[arg-type]
        diagonal = layers(chart, panel, Line)[0]
        assert isinstance(diagonal, Line)
        assert diagonal.x.tolist() == diagonal.y.tolist() == [0.0, 1.0]
    assert len(set(chart.keys)) == 10


def test_bins_that_miss_the_diagonal_stand_out_and_others_do_not() -> None:
    off = {layer.name: layer for layer in layers(reliability_chart(read(factor=3.0)), 0, Points)}  # type: ignore[union-attr]
    far = off["bin that is off"]
    assert isinstance(far, Points)
    assert (far.colour, len(far.x) > 5) == ("contrast", True)
    assert ((far.x < far.y_low) | (far.x > far.y_high)).all()
    right = {layer.name: layer for layer in layers(reliability_chart(read(factor=1.0)), 0, Points)}  # type: ignore[union-attr]
    near = right["bin"]
    assert isinstance(near, Points)
    assert (near.colour, len(near.x) >= 8) == ("accent", True)
    assert ((near.y_low <= near.x) & (near.x <= near.y_high)).all()


def test_both_kinds_have_their_histogram_and_a_bin_its_place_in_it() -> None:
    found = read()
    chart = reliability_chart(found)
    (real,), (generated, certain) = layers(chart, 2, Area), layers(chart, 2, Line)
    assert isinstance(real, Area)
    assert isinstance(generated, Line)
    for outline, counts in ((real, found.heights_real), (generated, found.heights_fake)):
        np.testing.assert_allclose(outline.y[1:-1:2], counts / counts.sum())
        np.testing.assert_allclose(outline.x[::2], found.edges)
    assert isinstance(certain, Line)
    assert certain.x.tolist() == [found.certain] * 2
    assert "K = 4" in certain.name
    (brackets,) = layers(chart, 2, Paths)
    assert isinstance(brackets, Paths)
    assert (brackets.x[:, 0] <= brackets.x[:, 1]).all()
    assert brackets.x.min() >= found.edges[0]
    assert brackets.x.max() <= found.edges[-1]


def test_the_verdict_is_told_above_and_what_to_do_below() -> None:
    chart = reliability_chart(read())
    assert chart.title == "The density ratio is over-confident"
    assert chart.note.startswith("The ratio is over-confident")
    assert chart.note.endswith("not trained on.")
    assert "600 real and 500 generated points" in chart.subtitle
    assert "calibration error 0." in chart.subtitle
    assert chart.alt.startswith("The density ratio is over-confident. Expected against observed in 10 bins")


def test_a_bin_tells_its_counts_and_both_ratios() -> None:
    found = read()
    card = reliability_chart(found).card
    assert card is not None
    rows = {row.title.strip(): row.values for row in card.rows}
    assert card.headings[0] == "Bin 1 of 10"
    assert card.notes[0].startswith("log r −")
    np.testing.assert_array_equal(rows["Real points"], found.bins["real"])
    np.testing.assert_array_equal(rows["Ratio, expected"], found.bins["expected_ratio"])
    shares = next(row.values for row in card.rows if row.title == "… observed")
    assert shares[3].startswith(f"{found.bins['observed_share'][3]:.3f} (")
    assert all(len(row.values) == 10 for row in card.rows)


def test_at_k_1_all_is_kept_and_nothing_is_said_of_that() -> None:
    chart = reliability_chart(read(budget=1.0))
    assert [panel.title for panel in chart.panels] == ["Share of real points", "Where points lie"]
    assert chart.card is not None
    assert not any("Kept" in row.title for row in chart.card.rows)
    assert not any("kept" in getattr(layer, "name", "") for layer in chart.panels[1].layers)


def test_without_a_histogram_the_rest_is_drawn() -> None:
    found = read_reliability({**told(), "histogram": None})
    assert found is not None
    assert len(reliability_chart(found).panels) == 2


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 390])
def test_a_browser_draws_it_wide_and_on_a_phone_in_light_and_in_dark(
    page: Page, tmp_path: Path, width: int, scheme: str
) -> None:
    found = read(factor=3.0)
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    open_page(page, tmp_path, reliability_chart(found))
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    # A bin is in two panels, and pointed at in the last of them.
    x, y = (float(found.bins[f"{name}_acceptance"][4]) for name in ("expected", "observed"))
    assert at(page, "bin 5") == pytest.approx(located(page, x, y, panel=1), abs=0.6)
    assert colour_at(page, *at(page, "bin 5"))[:3] == pytest.approx(CONTRAST, abs=25)
    corners = [located(page, 0, 0, panel=panel) for panel in range(2)]
    beside = corners[0][1] == pytest.approx(corners[1][1])
    assert beside == (width > 500)  # on a phone panels lie below each other
    page.mouse.move(*at(page, "bin 5"))
    page.get_by_text("Bin 5 of 10").first.wait_for()
