"""The report of a sweep: headline, front, budgets, λ audit, samples and curves along the front, the sweep file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from explorer.figures import default_view, front_figure, lambda_figure, own_lambda_figure, score
from explorer.goals import Goal
from explorer.html import Markup, Page, tag, write_html
from explorer.pareto import Ranking, rank
from explorer.report.gallery import gallery
from explorer.results.audit import LambdaAudit, audit_lambda
from explorer.results.naming import Naming, number, plain
from explorer.results.sentences import audit_numbers
from explorer.results.store import ResultStore
from explorer.results.table import TrialTable
from explorer.sources import Source
from explorer.store.schema import PLAIN, At

__all__ = ["write_report"]

COLUMNS = 8
"""Metrics in the table of the front."""


def write_report(store: ResultStore | Source, table: TrialTable, path: Path, at: At = PLAIN) -> None:
    """Write the sweep at one reading as one HTML file that needs no network. Every value in it is escaped."""
    ranking, audit = rank(table, at), audit_lambda(table, at)
    page = Page(f"{table.sweep} · Tradeoff Explorer")
    page.add(*_head(table, ranking, audit))
    _add_front(page, table, ranking)
    _add_budgets(page, table, ranking)
    _add_audit(page, table, audit)
    page.add(*gallery(page, store, table, ranking))
    _add_failures(page, table)
    _add_document(page, store, table)
    page.add(tag("footer", f"Written by Tradeoff Explorer, {datetime.now(UTC):%d %B %Y, %H:%M} UTC."))
    write_html(path, page.html(), "report")


def _head(table: TrialTable, ranking: Ranking, audit: LambdaAudit) -> list[Markup]:
    failed = sum(t.status == "failed" for t in table)
    finished = len(table.finished())
    best, at = table.finished().best_small(ranking.at), f"at {table.words(ranking.at)}"
    cards = [
        ("Trials", str(finished), f"finished of {len(table)}" + (f", {failed} failed" if failed else "")),
        ("On the front", str(len(ranking.front)), f"{len(table.goals)} objectives"),
        ("Hypervolume", number(ranking.hypervolume), at),
        ("λ audit", *audit_numbers(audit)),
        *([(f"Best {best[0]}", number(best[1]), at)] if best else []),
    ]
    rows = [tag("div", tag("span", a), tag("b", b), tag("span", c), class_="card") for a, b, c in cards]
    return [
        tag("p", "Tradeoff Explorer", class_="kicker"),
        tag("h1", table.sweep),
        tag("p", table.description, class_="muted"),
        tag("div", *rows, class_="cards"),
    ]


def _add_front(page: Page, table: TrialTable, ranking: Ranking) -> None:
    finished = table.finished()
    if not len(finished):
        page.add(tag("h2", "The front"), tag("p", "No trial has finished yet."))
        return
    page.add(
        page.figure(front_figure(finished, ranking.ranks, replace(default_view(finished), at=ranking.at)))
    )
    corner = ", ".join(f"{table.title(m)} {number(v)}" for m, v in ranking.reference.items())
    told = (
        f"is measured up to {corner}" if ranking.unmeasured is None else f"is left out: {ranking.unmeasured}"
    )
    page.add(
        tag("h2", "Trials on the front"),
        tag("p", f"{_order(finished, ranking.at)}The hypervolume {told}.", class_="muted"),
        tag("div", _front_table(finished, ranking), class_="scroll"),
    )


def _order(table: TrialTable, at: At) -> str:
    return "By falling precision. " if "precision" in table.metric_names(at) else ""


def _front_table(table: TrialTable, ranking: Ranking) -> Markup:
    at = ranking.at
    trials = sorted(
        (t for t in table if t.id in ranking.front), key=lambda t: -t.at(at).get("precision", math.nan)
    )
    headings = Naming.of([t.params for t in table]).headings
    params = [p for p in headings if any(p in t.params for t in trials)]
    metrics = table.headline_metrics(COLUMNS, at)
    head = tag(
        "tr",
        tag("th", "Trial"),
        *(tag("th", headings[p], title=p) for p in params),
        *(_th(table.title(m)) for m in metrics),
    )
    rows = [
        tag(
            "tr",
            tag("td", tag("code", t.id)),
            *(tag("td", plain(t.params.get(p))) for p in params),
            *(_td(score(t.at(at).get(m))) for m in metrics),
        )
        for t in trials
    ]
    return tag("table", tag("thead", head), tag("tbody", *rows))


def _add_budgets(page: Page, table: TrialTable, known: Ranking) -> None:
    """What refinement buys: the front at every K of every method, all measured up to the same corner."""
    for method in table.methods():
        rows = []
        for budget in table.budgets(method):
            at = table.reading(budget, method)
            ranking = known if at == known.at else rank(table, at, known.reference)
            reads = [t.at(at) for t in table.finished()]
            best = [_best_of(goal, reads) for goal in table.goals]
            cells = [number(budget), score(ranking.hypervolume), str(len(ranking.front)), *map(score, best)]
            rows.append(tag("tr", *(_td(cell) for cell in cells)))
        titles = (
            "K",
            "hypervolume",
            "on the front",
            *(f"best {table.title_in_text(g.metric)}" for g in table.goals),
        )
        head = tag("thead", tag("tr", *(_th(t) for t in titles)))
        told = table.catalogue.methods.get(method, "K draws are made for one sample.")
        lead = f"The same models, read through {method}. {told}"
        page.add(
            tag("h2", "What a bigger budget buys"),
            tag("p", lead, class_="muted"),
            tag("div", tag("table", head, tag("tbody", *rows)), class_="scroll"),
        )


def _best_of(goal: Goal, reads: Sequence[Mapping[str, float]]) -> float | None:
    values = [r[goal.metric] for r in reads if math.isfinite(r.get(goal.metric, math.nan))]
    return min(values, key=lambda v: goal.sign * v, default=None)


def _add_audit(page: Page, table: TrialTable, audit: LambdaAudit) -> None:
    if not audit.groups:
        return
    page.add(tag("h2", "Does λ do what theory promises?"))
    page.add(*(tag("p", sentence + ".", class_="muted") for sentence in audit.sentences()))
    if audit.defined:
        page.add(page.figure(lambda_figure(table, audit)))
    own = own_lambda_figure(audit)
    if own is not None:
        page.add(page.figure(own))


def _add_failures(page: Page, table: TrialTable) -> None:
    for title, found in (("Failed trials", table.failures()), ("Trials ended early", table.stops())):
        rows = [
            tag("tr", tag("td", tag("code", trial.id)), tag("td", trial.why or reason))
            for reason, trials in found.items()
            for trial in trials
        ]
        if rows:
            page.add(tag("h2", title), tag("div", tag("table", *rows), class_="scroll"))


def _add_document(page: Page, store: ResultStore | Source, table: TrialTable) -> None:
    found = {name: store.document(name) for name in table.parts or (table.sweep,)}
    for name, text in found.items():
        if text is not None:
            called = f"The sweep file of {name}" if table.parts else "The sweep file"
            page.add(tag("h2", called), tag("details", tag("summary", "sweep.yaml"), tag("pre", text)))


def _th(title: str) -> Markup:
    return tag("th", title, class_="n")


def _td(value: str) -> Markup:
    return tag("td", value, class_="n")
