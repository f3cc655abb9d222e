"""Entries say what a number is, and only what is not the default is written down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from trainables.metrics import METRICS, Entry, Metric, Scores


def test_plain_entries_leave_defaults_out() -> None:
    assert Entry("a", "A", "Of a.").plain() == {"key": "a", "title": "A", "sentence": "Of a."}
    full = Entry("a", "A", "Of a.", "max", 1, 2, "s", True).plain()
    assert full == {
        "key": "a",
        "title": "A",
        "sentence": "Of a.",
        "direction": "max",
        "low": 1,
        "high": 2,
        "unit": "s",
        "diagnostic": True,
    }


def test_scores_may_have_values_alone() -> None:
    scores = Scores({"a": 1.0})
    assert (dict(scores.intervals), dict(scores.curves), scores.left_out) == ({}, {}, None)
    assert (dict(scores.kinds), dict(scores.withheld)) == ({}, {})


def test_a_metric_must_measure_and_looks_at_no_balls_unless_it_says_so() -> None:
    @dataclass(frozen=True)
    class Idle(Metric):
        name: ClassVar[str] = "idle"
        entries: ClassVar[tuple[Entry, ...]] = ()

    assert Idle.everyday is None
    assert Idle.needs == frozenset()
    with pytest.raises(ValueError, match=r"Idle must define measure$"):
        METRICS.add(Idle)


def test_a_bound_of_zero_is_written_down() -> None:
    assert Entry("a", "A", "Of a.", low=0).plain()["low"] == 0


ODD: Any = 5
TUPLE = "must have a tuple of Entry as entries, got "
ENTRIES = "must have entries such as Entry(key, title, sentence, direction), all text, direction 'max', 'min' or None"


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({}, f"{TUPLE}None"),
        ({"entries": None}, f"{TUPLE}None"),
        ({"entries": 5}, f"{TUPLE}5"),
        ({"entries": "ab"}, f"{TUPLE}'ab'"),
        ({"entries": ("a",)}, f"{ENTRIES}, got 'a'"),
        ({"entries": [1]}, f"{ENTRIES}, got 1"),
        ({"entries": (Entry(ODD, "A", "Of a."),)}, f"{ENTRIES}, got Entry(key=5, title='A'"),
        ({"entries": (Entry("a", "A", "Of a.", ODD),)}, f"{ENTRIES}, got Entry(key='a'"),
        ({"entries": (Entry("a", "A", "Of a.", "max", ODD, "b"),)}, f"{ENTRIES}, got Entry(key='a'"),  # type: ignore[arg-type]
        ({"entries": (), "needs": None}, "must have a set such as {'law'} as needs, got None"),
        ({"entries": (), "everyday": "b"}, "must have a whole number or None as everyday, got 'b'"),
        ({"entries": (), "version": "b"}, "must have a whole number as version, got 'b'"),
    ],
)
def test_what_a_metric_says_of_itself_is_checked(said: dict[str, Any], sentence: str) -> None:
    body = {"name": "odd", "measure": lambda self, pair: None, "__module__": "mine", **said}
    kind = dataclass(frozen=True)(type("Odd", (Metric,), body))
    with pytest.raises(ValueError, match=r".") as refusal:
        METRICS.add(kind)
    assert str(refusal.value).startswith(f"metric mine.Odd {sentence}")
    assert len(str(refusal.value)) <= 240
    assert "odd" not in METRICS


@pytest.mark.parametrize(
    ("least", "orders", "sentence"),
    [
        ((1, 2), 3, "orders() of metric 'odd' must give whole numbers ≥ 1, got 3"),
        ((1, 2), (0,), "orders() of metric 'odd' must give whole numbers ≥ 1, got (0,)"),
        ((1, 2), ("3",), "orders() of metric 'odd' must give whole numbers ≥ 1, got ('3',)"),
        ((1,), (), "least() of metric 'odd' must give two whole numbers, got (1,)"),
        (None, (), "least() of metric 'odd' must give two whole numbers, got None"),
        (
            KeyError("x"),
            (),
            "least() and orders() of metric 'odd' must give whole numbers, but it raised KeyError",
        ),
    ],
)
def test_what_a_metric_answers_is_checked_at_birth(least: Any, orders: Any, sentence: str) -> None:
    @dataclass(frozen=True)
    class Odd(Metric):
        name: ClassVar[str] = "odd"
        entries: ClassVar[tuple[Entry, ...]] = ()

        def measure(self, pair: Any) -> Scores:
            return Scores({})

        def least(self) -> Any:
            if isinstance(least, Exception):
                raise least
            return least

        def orders(self, k: int) -> Any:
            return orders

    with pytest.raises(ValueError, match=r".") as refusal:
        Odd()
    assert str(refusal.value).startswith(sentence)
