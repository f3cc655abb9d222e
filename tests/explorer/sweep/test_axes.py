"""Axes: values from end to end, what a chooser must say to choose one, and where an axis applies."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.errors import UserError
from explorer.search.points.dice import Dice
from explorer.sweep.axes import Axis, Condition, Interval, Listed, as_text


def test_probes_visit_no_value_that_the_steps_leave_out() -> None:
    one, three = (Interval(2.0, 5.0, log=False, whole=False, steps=steps) for steps in (1, 3))
    assert one.extremes() == [2.0]
    assert three.extremes() == [2.0, 5.0]


def test_steps_too_close_for_whole_numbers_are_visited_once() -> None:
    assert Interval(1.0, 3.0, log=False, whole=True, steps=9).values() == [1, 2, 3]
    assert Interval(2.0, 5.0, log=False, whole=False, steps=1).values() == [2.0]


def test_ends_are_those_given_and_close_values_stay_apart() -> None:
    assert Interval(0.0, 0.9999999, log=False, whole=False, steps=3).values() == [0.0, 0.5, 0.9999999]
    assert Interval(1.00000001, 1.00000002, log=False, whole=False, steps=3).values() == [
        1.00000001,
        1.000000015,
        1.00000002,
    ]
    assert Interval(1e6 + 1, 1e6 + 9, log=False, whole=True, steps=3).values() == [1000001, 1000005, 1000009]
    assert Interval(0.1, 0.7, log=False, whole=False, steps=4).values() == [0.1, 0.3, 0.5, 0.7]


def test_a_range_without_steps_has_no_grid() -> None:
    endless = Interval(2.0, 5.0, log=False, whole=False, steps=None)
    assert not endless.finite
    for walk in (endless.count, endless.values):
        with pytest.raises(UserError, match=r"a grid needs 'steps' to walk the range \[2, 5\]"):
            walk()
    assert Interval(2.0, 5.0, log=False, whole=False, steps=3).finite
    assert Listed((1,)).finite


def test_equal_numbers_are_one_text() -> None:
    assert as_text(1) == as_text(1.0) != as_text(True)
    assert as_text({"b": [1, 2], "a": None}) == as_text({"a": None, "b": (1.0, 2)})
    assert as_text("1") != as_text(1)


AXES: list[Axis] = [
    Listed((1, 2.5, "x", None, [1, 2], {"name": "kl"}, True)),
    Interval(0.1, 10.0, log=True, whole=False, steps=None),
    Interval(1.0, 9.0, log=False, whole=True, steps=None),
    Interval(0.1, 10.0, log=True, whole=False, steps=4),
]


class Saying:
    """Chooses what it is told to."""

    def __init__(self, said: object) -> None:
        self.said = said

    def choice(self, name: str, options: object) -> str:
        assert self.said in options  # type: ignore[operator]
        return str(self.said)

    def number(self, name: str, low: float, high: float, log: bool, whole: bool) -> float:
        assert isinstance(self.said, float)
        assert low <= self.said <= high
        return self.said


@pytest.mark.parametrize("axis", AXES, ids=str)
@given(seed=st.integers(0, 10**6))
def test_what_is_spelled_is_chosen(axis: Axis, seed: int) -> None:
    value = axis.choose("x", Dice(seed))
    said = axis.spelled(value)
    assert said is not None
    assert axis.choose("x", Saying(said)) == value
    assert axis.choose("x", Saying(axis.spelled(json.loads(json.dumps(value))))) == value


@pytest.mark.parametrize(
    ("axis", "value"),
    [
        (AXES[0], 3),
        (AXES[0], "1"),
        (AXES[1], 11),
        (AXES[1], "1"),
        (AXES[1], True),
        (AXES[2], 1.5),
        (AXES[3], 0.2),
    ],
)
def test_what_an_axis_does_not_hold_cannot_be_spelled(axis: Axis, value: object) -> None:
    assert axis.spelled(value) is None


def test_an_axis_applies_where_all_its_conditions_hold() -> None:
    when = (
        Condition("a", frozenset({as_text(1), as_text("x")})),
        Condition("b", frozenset({as_text(2)}), absent=True),
    )
    axis = Listed((0,), when=when)
    assert axis.applies({"a": 1.0, "b": 2})
    assert axis.applies({"a": "x"})
    assert not axis.applies({"a": 1, "b": 3})
    assert not axis.applies({"b": 2}), "the other axis does not apply itself"
    assert Listed((0,)).applies({})
