"""A comparison as one self-contained HTML page."""

from __future__ import annotations

import math
from pathlib import Path

from explorer.html.markup import Markup, tag
from explorer.html.page import Page
from explorer.html.writing import write_html
from explorer.store.schema import budget_text
from explorer.theory.comparison import Comparison
from explorer.theory.figures import (
    LABELS,
    curve_figure,
    divergence_figure,
    frontier_figure,
    laws_figure,
    pr_divergence_figure,
)

__all__ = ["comparison_page", "write_comparison"]


def write_comparison(comparison: Comparison, path: Path) -> None:
    """Write the page; it needs no network."""
    write_html(path, comparison_page(comparison))


def comparison_page(comparison: Comparison) -> str:
    """The document: summaries, laws, curve, divergences, frontiers, numbers."""
    refined = comparison.refined
    page = Page("Two laws compared · Tradeoff Explorer")
    page.add(
        tag("p", "Tradeoff Explorer", class_="kicker"),
        tag("h1", "Two laws compared"),
        tag("p", f"real ({_law(comparison.real)}), model ({_law(comparison.model)})", class_="muted"),
        tag("div", *_cards(comparison), class_="cards"),
        page.figure(curve_figure(comparison).update_layout(height=460)),
        tag("h2", "What rejection does"),
        tag("p", _rejection(comparison), class_="muted"),
        tag(
            "div",
            page.figure(laws_figure(comparison)),
            page.figure(divergence_figure(comparison)),
            class_="gallery",
        ),
        tag("h2", "Every trade-off, and the laws in between"),
        tag(
            "p",
            "The PR-divergence is what a curve lacks at λ. A frontier asks how close a third law R can be to both laws "
            "at once; the exclusive one of order ∞ is the PR curve in logarithms.",
            class_="muted",
        ),
        tag(
            "div",
            page.figure(pr_divergence_figure(comparison)),
            page.figure(frontier_figure(comparison, "exclusive")),
            page.figure(frontier_figure(comparison, "inclusive")),
            class_="gallery",
        ),
        tag("h2", "Numbers"),
        tag("div", _divergence_table(comparison), class_="scroll"),
        tag(
            "footer",
            f"Optimal rejection keeps an outcome with probability min(c·p/q, 1), here c = {_number(refined.constant)}.",
        ),
    )
    return page.html()


def _cards(comparison: Comparison) -> list[Markup]:
    refined = comparison.refined
    cards = [
        ("Area", _number(comparison.auc), f"{_number(refined.auc)} after rejection"),
        ("F₈", _number(comparison.f8), "recall summary"),
        ("F₁⁄₈", _number(comparison.f1_8), "precision summary"),
        (
            "Supports",
            f"{comparison.support_precision:.3g} · {comparison.support_recall:.3g}",
            "α at ∞ · β at 0",
        ),
        ("M", _number(comparison.largest_ratio), "largest ratio p/q"),
    ]
    return [tag("div", tag("span", a), tag("b", b), tag("span", c), class_="card") for a, b, c in cards]


def _rejection(comparison: Comparison) -> str:
    refined = comparison.refined
    kept = (
        f"At budget K = {budget_text(refined.budget)} the model keeps {refined.acceptance:.1%} of its draws; "
    )
    kept += "no other acceptance of this rate comes closer to the real law in any f-divergence."
    if refined.improvement > 0:
        kept += f" Each of them shrinks by at least {refined.improvement:.1%}."
    return kept


def _divergence_table(comparison: Comparison) -> Markup:
    head = tag("tr", tag("th", "Divergence"), _cell("th", "model"), _cell("th", "refined"))
    rows = [
        tag("tr", tag("td", LABELS[name]), _cell("td", _number(value)), _cell("td", _number(after)))
        for name, value in comparison.divergences.items()
        for after in [comparison.refined.divergences[name]]
    ]
    return tag("table", tag("thead", head), tag("tbody", *rows))


def _cell(kind: str, value: str) -> Markup:
    return tag(kind, value, class_="n")


def _law(law: tuple[float, ...]) -> str:
    shown = [f"{x:.4g}" for x in law[:12]]
    return ", ".join(shown) + (f", … {len(law)} outcomes" if len(law) > 12 else "")


def _number(value: float) -> str:
    return f"{value:.4g}" if math.isfinite(value) else "∞"
