"""Pins: names that lead back to sweep and trial, and no more of them than can be compared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from app.views.pins import parts_of, pin_of
from tests.app.running import run_part


@given(some.text(), some.text(alphabet="0123456789abcdef", min_size=1))
def test_a_pin_leads_back_to_its_parts(label: str, identity: str) -> None:
    assert parts_of(pin_of(label, identity), ()) == (label, identity)


def test_a_pin_of_a_trial_whose_identity_has_strokes_is_found_by_its_sweep() -> None:
    labels = ["mine", "mine/deep"]
    assert parts_of("mine/run/a", labels) == ("mine", "run/a")
    assert parts_of("mine/deep/run/a", labels) == ("mine/deep", "run/a")
    assert parts_of("alone", labels) == ("", "alone")


def page(names: list[str]) -> None:
    import streamlit as st

    from app.views.pins import pin_all
    from app.wishes import pins

    pin_all(names)
    st.text(" ".join(pins()))


@pytest.mark.usefixtures("store")
def test_pinning_all_leaves_what_is_pinned_and_stops_when_there_is_no_room() -> None:
    app = run_part(page, names=[f"s/{i}" for i in range(9)])
    assert app.text[0].value == " ".join(f"s/{i}" for i in range(6))
    app.run()
    assert app.text[0].value == " ".join(f"s/{i}" for i in range(6)), "pinning again takes nothing away"
