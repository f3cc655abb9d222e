"""Wishes are met as far as the sweep can; the others are told and stay wishes."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from app.drawn import drawn, settled
from app.filters import Bound, OneOf, Span
from app.view import View, from_query
from explorer.figures import FrontView
from explorer.results.table import TrialTable
from explorer.store.schema import PLAIN, At
from tests.app.made_sweep import NEWER, SPARKLE, TWO_METHODS, read_table


@given(
    query=st.dictionaries(
        st.sampled_from(["x", "k", "method", "paths", "status", "range.a", "bound.b", "in.c", "z"]),
        st.lists(st.text("ab0.2é<") | st.sampled_from(["2", "obrs", "critic_loss", "draws"])),
    )
)
def test_any_url_can_be_drawn(table: TrialTable, query: dict[str, list[str]]) -> None:
    view, _ = from_query(query)
    shown = drawn(view, table)
    figure = shown.figure
    assert figure.at.budget in table.budgets(figure.method)
    assert {figure.x, figure.y, figure.colour} <= {*table.metric_names(figure.at), *table.varying()}
    calm = settled(view, table)
    assert settled(calm, table) == calm
    assert drawn(calm, table).figure == figure
    assert all(isinstance(c, str) for c in shown.complaints)


def test_without_wishes_the_page_chooses(table: TrialTable) -> None:
    assert drawn(View("made"), table).figure == FrontView("recall", "precision", "fid")


def test_values_unknown_to_the_sweep_are_told_and_not_drawn(table: TrialTable) -> None:
    known = (Bound("fid", 9.0), OneOf("seed", frozenset({"7"})), Span("objective.lam", 99.0, None))
    asked = View(
        "made", x="nope", budget=3.0, method="nobody", trial="nobody", filters=(Bound("speed", 1.0), *known)
    )
    shown = drawn(asked, table)
    assert shown.figure == FrontView("recall", "precision", "fid")
    assert shown.filters == known, "a filter that nobody passes yet is a filter all the same"
    assert list(shown.complaints) == [
        "this sweep was not read through 'nobody'; it has obrs.",
        "this sweep was not read at K = 3; it has K = 1, 1.5, 2, 4.",
        "there is no column 'nope' at K = 1; showing 'recall' instead.",
        "this sweep has no trial 'nobody'.",
        "this sweep has nothing to filter by 'speed'.",
    ]


def test_a_wish_is_met_once_the_sweep_can(table: TrialTable) -> None:
    asked = View("made", budget=2.0, colour="draws")
    plain = tuple(replace(t, readings={PLAIN: t.metrics}) for t in table)
    early = drawn(asked, replace(table, trials=plain))
    assert (early.figure.at, early.figure.colour, len(early.complaints)) == (PLAIN, "fid", 2)
    late = drawn(asked, table)
    assert (late.figure.at, late.figure.colour, late.complaints) == (At("obrs", 2.0), "draws", ())


def test_a_diagnostic_is_a_column_where_it_was_seen_only(table: TrialTable) -> None:
    asked = View("made", y="critic_loss", colour="lam_below")
    assert drawn(asked, table).complaints == ()
    beyond = drawn(replace(asked, budget=2.0), table)
    assert (beyond.figure.y, beyond.figure.colour) == ("precision", "fid")
    assert beyond.complaints[0] == "there is no column 'critic_loss' at K = 2; showing 'precision' instead."
    assert settled(replace(asked, budget=2.0), table) == View("made", budget=2.0), "the reader chose K = 2"


def test_each_method_has_its_own_budgets(store_uri: str) -> None:
    two = read_table(store_uri, TWO_METHODS)
    asked = View(TWO_METHODS, method="other", budget=3.0)
    assert drawn(asked, two).figure.at == At("other", 3.0)
    wrong = replace(asked, method="obrs")
    assert drawn(wrong, two).complaints == ("this sweep was not read at K = 3; it has K = 1, 1.5, 2, 4.",)
    assert settled(wrong, two) == View(TWO_METHODS, method="obrs")
    first = drawn(View(TWO_METHODS, budget=3.0), two)
    assert (first.figure.at, len(first.complaints)) == (PLAIN, 1), "no method named is the first one"


def test_a_metric_unknown_to_the_code_can_be_asked_for(store_uri: str) -> None:
    asked = View(NEWER, x=SPARKLE.key, colour=SPARKLE.key, filters=(Bound(SPARKLE.key, 3.0),))
    shown = drawn(asked, read_table(store_uri, NEWER))
    assert (shown.figure.x, shown.filters, shown.complaints) == (SPARKLE.key, asked.filters, ())


def test_a_sweep_without_the_usual_columns_shows_its_own_and_nobody_complains(table: TrialTable) -> None:
    readings = [{at: {"coverage": 0.5, "density": 0.4} for at in t.readings} for t in table]
    odd = replace(table, trials=tuple(replace(t, readings=r) for t, r in zip(table, readings, strict=True)))
    shown = drawn(View("made"), odd)
    assert shown.complaints == ()
    assert {shown.figure.x, shown.figure.y} == {"coverage", "density"}
