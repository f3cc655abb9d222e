"""The page of pinned trials: across sweeps, with none, with one, with pins that lead nowhere."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from explorer.figures.chart import Chart, Line
from tests.app.made_sweep import HOSTILE_SWEEP, MADE, NEWER, SCRIPT, TWO_METHODS, read_table
from tests.app.running import html
from tests.app.scenes import shown_screen

pytestmark = pytest.mark.usefixtures("store")


def shown(*pins: str, label: str = MADE, **wishes: object) -> AppTest:
    return shown_screen("compare", label, pins=pins, **wishes)


def pin(uri: str, sweep: str, place: int) -> str:
    return f"{sweep}/{read_table(uri, sweep).trials[place].id}"


def test_with_nothing_pinned_the_front_offers_its_ends_and_its_knee(charts: dict[str, Chart]) -> None:
    app = shown()
    assert "Nothing is pinned yet" in html(app)
    app.button(key="pin front").click().run()
    assert len(app.session_state["pins"]) == 3
    assert "What differs" in html(app)
    assert {"curves", "histories"} <= set(charts)


def test_with_one_pinned_another_is_asked_for_and_can_be_added(
    store_uri: str, charts: dict[str, Chart]
) -> None:
    app = shown(pin(store_uri, MADE, 0))
    assert "One trial is pinned" in html(app)
    assert not charts
    (box,) = app.selectbox
    other = read_table(store_uri).trials[4].id
    assert read_table(store_uri).trials[0].id not in "".join(box.options), "it is pinned already"
    box.set_value(other).run()
    assert app.session_state["pins"][1] == f"{MADE}/{other}"
    assert "What differs" in html(app)


def test_trials_of_several_sweeps_are_beside_each_other(store_uri: str, charts: dict[str, Chart]) -> None:
    pins = [
        pin(store_uri, MADE, 0),
        pin(store_uri, MADE, 9),
        pin(store_uri, TWO_METHODS, 1),
        pin(store_uri, NEWER, 2),
    ]
    app = shown(*pins)
    text = html(app)
    names = [layer.name for layer in charts["curves"].layers if isinstance(layer, Line)]
    assert len(names) == 4
    assert {name.split(":")[0] for name in names} == {MADE, TWO_METHODS, NEWER}
    assert [panel.title for panel in charts["histories"].panels] == ["Precision", "Recall", "FID"]
    assert len([key for key in charts if key.startswith("samples ")]) == 4
    differs = text.split("What differs")[1].split("</table>")[0]
    assert "λ" in differs
    assert "dataset.name" not in differs, "it is the same for all and folded"
    assert "3 seeds" in text.split("Metrics</p>")[1].split("</table>")[0]
    app.button(key=f"unpin {pins[0]}").click().run()
    assert list(app.session_state["pins"]) == pins[1:]
    assert not app.exception


def test_a_reading_that_a_trial_lacks_gives_way_and_is_named(
    store_uri: str, charts: dict[str, Chart]
) -> None:
    app = shown(pin(store_uri, MADE, 0), pin(store_uri, TWO_METHODS, 0), budget=4.0)
    row = html(app).split("Reading</td>")[1].split("</tr>")[0]
    assert row.count("K = 4") == 2
    app = shown(
        pin(store_uri, MADE, 0), pin(store_uri, TWO_METHODS, 0), label=TWO_METHODS, budget=3.0, method="other"
    )
    row = html(app).split("Reading</td>")[1].split("</tr>")[0]
    assert "K = 1" in row
    assert "K = 3" in row


def test_pins_that_lead_nowhere_are_told_and_taken_away(store_uri: str, charts: dict[str, Chart]) -> None:
    gone = f"no such sweep/{'0' * 12}"
    pins = [pin(store_uri, MADE, 0), gone, f"{MADE}/{SCRIPT}", pin(store_uri, MADE, 5)]
    app = shown(*pins)
    assert len(app.warning) == 2
    assert "is not in this store" in app.warning[0].value
    assert "What differs" in html(app), "the others are compared"
    app.button(key=f"unpin {gone}").click().run()
    assert gone not in app.session_state["pins"]


def test_no_more_than_six_are_compared(store_uri: str, charts: dict[str, Chart]) -> None:
    app = shown(*(pin(store_uri, MADE, i) for i in range(8)))
    assert "the first 6 are compared" in html(app)
    assert not app.selectbox
    assert len([key for key in charts if key.startswith("samples ")]) == 6


def test_hostile_trials_are_text(store_uri: str, charts: dict[str, Chart]) -> None:
    app = shown(*(pin(store_uri, HOSTILE_SWEEP, i) for i in range(5)), label=HOSTILE_SWEEP)
    assert SCRIPT not in html(app)
    assert "window.hacked" in html(app), "shown as text"
