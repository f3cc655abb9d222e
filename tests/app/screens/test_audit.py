"""The page of the λ audit: at the K shown, of what passes the filters, and what it says where there is nothing."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from app.filters import OneOf
from explorer.figures.chart import Chart
from tests.app.made_sweep import EMPTY, HOSTILE_SWEEP, MADE, read_table
from tests.app.running import html
from tests.app.scenes import shown_screen

pytestmark = pytest.mark.usefixtures("store")


def shown(label: str = MADE, **wishes: object) -> AppTest:
    return shown_screen("audit", label, **wishes)


def test_the_page_is_taken_at_the_budget_shown(charts: dict[str, Chart]) -> None:
    told = html(shown(budget=2.0))
    assert "λ trades recall for precision" in told
    assert "At K = 2" in told
    assert "K = 2" in charts["audit lambda"].subtitle
    assert {"audit lambda", "audit own", "audit tangents"} == set(charts)
    assert "No Lipschitz ceiling is known here" in told


def test_what_filters_hide_is_not_audited(store_uri: str, charts: dict[str, Chart]) -> None:
    kl = next(t for t in read_table(store_uri) if "objective.lam" not in t.params).params["objective.name"]
    app = shown(filters=(OneOf("objective.name", frozenset((str(kl),))),))
    assert "No λ to audit" in html(app)
    app = shown(filters=(OneOf("objective.lam", frozenset(("0.1", "1"))),))
    assert "Too few values of λ to audit" in html(app)
    app = shown(filters=(OneOf("seed", frozenset(("99",))),))
    assert "No finished trial passes the filters" in html(app)
    assert not charts


def test_a_sweep_without_trials_says_so(charts: dict[str, Chart]) -> None:
    assert "This sweep has no trials yet" in html(shown(EMPTY))
    assert not charts


def test_hostile_values_are_text(charts: dict[str, Chart]) -> None:
    told = html(shown(HOSTILE_SWEEP))
    assert "<script" not in told
