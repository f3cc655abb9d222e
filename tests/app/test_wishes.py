"""Wishes are kept sweep by sweep, and change only where something is wished."""

from __future__ import annotations

from tests.app.running import run_part


def test_each_sweep_has_its_own_wishes() -> None:
    def draw() -> None:
        from app.view import View
        from app.wishes import put, wish, wished

        assert wished("a") == View("a")
        wish("a", x="recall")
        put(View("b", paths=True))
        assert wished("a") == View("a", x="recall")
        assert wished("b") == View("b", paths=True)

    assert not run_part(draw).exception


def test_a_filter_takes_the_place_of_its_like_only() -> None:
    def draw() -> None:
        from app.filters import Bound, OneOf, Span
        from app.wishes import wish_filter, wished

        word, bound = OneOf("lam", frozenset({"1"})), Bound("fid", 3.0)
        wish_filter("a", Span, "lam", Span("lam", 1.0, None))
        wish_filter("a", OneOf, "lam", word)
        wish_filter("a", Bound, "fid", bound)
        wish_filter("a", Span, "lam", Span("lam", None, 2.0))
        assert wished("a").filters == (word, bound, Span("lam", None, 2.0))
        wish_filter("a", OneOf, "lam", None)
        assert len(wished("a").filters) == 2

    assert not run_part(draw).exception


def test_filters_are_taken_away_together() -> None:
    def draw() -> None:
        from app.filters import Bound
        from app.view import View
        from app.wishes import clear_filters, wish, wished

        wish("a", x="recall", statuses=frozenset({"failed"}), filters=(Bound("fid", 3.0),))
        clear_filters("a")
        assert wished("a") == View("a", x="recall")

    assert not run_part(draw).exception
