"""The report of a sweep: headline, front, budgets, λ audit, samples and curves along the front, the sweep file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from explorer.errors import UserError
from explorer.figures import (
    FrontView,
    Samples,
    front_figure,
    lambda_figure,
    number,
    plain,
    pr_curve_figure,
    read_curve,
    samples_figure,
    score,
    spread_by_lambda,
    title_of,
)
from explorer.html.markup import Markup, tag
from explorer.html.page import Page
from explorer.pareto import Ranking, rank
from explorer.report.sentences import audit_numbers, audit_title
from explorer.results.audit import LambdaAudit, audit_lambda
from explorer.results.store import ResultStore
from explorer.results.table import Trial, TrialTable

__all__ = ["along", "short_name", "write_report"]

GALLERY = 6
"""Trials of the front whose samples and curves are shown."""


def write_report(store: ResultStore, table: TrialTable, path: Path) -> None:
    """Write the sweep as one self-contained HTML file that needs no network. Every value in it is escaped."""
    ranking, audit = rank(table), audit_lambda(table)
    page = Page(f"{table.sweep} · Tradeoff Explorer")
    page.add(*_head(table, ranking, audit))
    _add_front(page, table, ranking)
    _add_budgets(page, table)
    _add_audit(page, table, audit)
    _add_gallery(page, store, table, ranking)
    _add_failures(page, table)
    _add_document(page, store, table)
    page.add(tag("footer", f"Written by Tradeoff Explorer, {datetime.now(UTC):%d %B %Y, %H:%M} UTC."))
    try:
        path.write_text(page.html(), encoding="utf-8")
    except OSError as error:
        raise UserError(f"the report must go to a writable file, got '{path}': {error.strerror}") from error


def along(trials: Sequence[Trial], n: int, metric: str = "recall") -> list[Trial]:
    """At most n trials spread evenly over the order of a metric, both ends among them."""
    ordered = sorted(trials, key=lambda t: t.metrics.get(metric, math.nan))
    if len(ordered) <= n:
        return ordered
    return [ordered[round(i * (len(ordered) - 1) / (n - 1))] for i in range(n)]


def short_name(table: TrialTable, trial: Trial) -> str:
    """What tells a trial from the table's others, in a few words: ``λ = 0.3, seed = 1``."""
    parts = [
        f"{title_of(p).rsplit('.')[-1]} = {plain(trial.params[p])}"
        for p in table.varying()
        if p in trial.params
    ]
    return ", ".join(sorted(parts, key=lambda p: (not p.startswith("λ"), p.startswith("seed")))) or trial.id


def _head(table: TrialTable, ranking: Ranking, audit: LambdaAudit) -> list[Markup]:
    failed = sum(t.status == "failed" for t in table)
    finished = len(table.finished())
    fids = [t.metrics["fid"] for t in table.finished() if math.isfinite(t.metrics.get("fid", math.nan))]
    cards = [
        ("Trials", str(finished), f"finished of {len(table)}" + (f", {failed} failed" if failed else "")),
        ("On the front", str(len(ranking.front)), f"{len(table.goals)} objectives"),
        ("Hypervolume", number(ranking.hypervolume), "at K = 1"),
        ("λ audit", *audit_numbers(audit)),
        ("Best FID", number(min(fids, default=math.nan)), "at K = 1"),
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
    names = finished.metric_names()
    view = FrontView(colour="fid" if "fid" in names else names[0]) if names else FrontView()
    page.add(page.figure(front_figure(finished, ranking.ranks, view)))
    corner = ", ".join(f"{title_of(m)} {number(v)}" for m, v in ranking.reference.items())
    page.add(
        tag("h2", "Trials on the front"),
        tag("p", f"By falling precision. The hypervolume is measured up to {corner}.", class_="muted"),
        tag("div", _front_table(finished, ranking), class_="scroll"),
    )


def _front_table(table: TrialTable, ranking: Ranking) -> Markup:
    trials = sorted(
        (t for t in table if t.id in ranking.front), key=lambda t: -t.metrics.get("precision", math.nan)
    )
    params = [p for p in table.varying() if any(p in t.params for t in trials)]
    metrics = [m for m in table.metric_names() if m in ("precision", "recall", "density", "coverage", "fid")]
    head = tag(
        "tr",
        tag("th", "Trial"),
        *(tag("th", title_of(p)) for p in params),
        *(_th(title_of(m)) for m in metrics),
    )
    rows = [
        tag(
            "tr",
            tag("td", tag("code", t.id)),
            *(tag("td", plain(t.params.get(p))) for p in params),
            *(_td(score(t.metrics.get(m))) for m in metrics),
        )
        for t in trials
    ]
    return tag("table", tag("thead", head), tag("tbody", *rows))


def _add_budgets(page: Page, table: TrialTable) -> None:
    """What rejection buys: the front at every K, all measured up to the same corner."""
    budgets = table.budgets()
    if len(budgets) < 2:
        return
    rows = []
    for k in budgets:
        ranking = rank(table, k)
        reads = [t.at_budget(k) for t in table.finished()]
        best = {
            m: [r[m] for r in reads if math.isfinite(r.get(m, math.nan))]
            for m in ("precision", "recall", "fid")
        }
        cells = [
            number(k),
            score(ranking.hypervolume),
            str(len(ranking.front)),
            score(max(best["precision"], default=None)),
            score(max(best["recall"], default=None)),
            score(min(best["fid"], default=None)),
        ]
        rows.append(tag("tr", *(_td(cell) for cell in cells)))
    titles = ("K", "hypervolume", "on the front", "best precision", "best recall", "best FID")
    head = tag("thead", tag("tr", *(_th(t) for t in titles)))
    page.add(
        tag("h2", "What a bigger budget buys"),
        tag(
            "p",
            "The same models, refined by optimal budgeted rejection sampling: one sample in K is kept.",
            class_="muted",
        ),
        tag("div", tag("table", head, tag("tbody", *rows)), class_="scroll"),
    )


def _add_audit(page: Page, table: TrialTable, audit: LambdaAudit) -> None:
    if len(spread_by_lambda(table, "precision")) < 2:
        return
    page.add(tag("h2", "Does λ do what theory promises?"))
    page.add(*(tag("p", sentence + ".", class_="muted") for sentence in audit.sentences()))
    page.add(page.figure(lambda_figure(table, title=audit_title(audit))))


def _add_gallery(page: Page, store: ResultStore, table: TrialTable, ranking: Ranking) -> None:
    chosen = along([t for t in table if t.id in ranking.front], GALLERY)
    front = replace(table, trials=tuple(chosen))
    pictures = []
    for trial in chosen:
        samples = Samples.from_artifact(store.artifact_json(trial.run_id, "samples.json"))
        if samples is not None:
            read = {m: trial.metrics[m] for m in ("precision", "recall", "fid") if m in trial.metrics}
            note = " · ".join(f"{title_of(m)} {number(v)}" for m, v in read.items())
            figure = samples_figure(samples, title=short_name(front, trial), note=note)
            pictures.append(page.figure(figure.update_layout(height=340, showlegend=False)))
    if pictures:
        lead = "From the sharpest to the most diverse: real points grey, the model's blue."
        page.add(tag("h2", "Samples along the front"), tag("p", lead, class_="muted"))
        page.add(tag("div", *pictures, class_="gallery"))
    stored = {short_name(front, t): store.artifact_json(t.run_id, "curve.json") for t in chosen}
    curves = {name: raw for name, raw in stored.items() if read_curve(raw)}
    if curves:
        page.add(tag("h2", "Their precision-recall curves"))
        page.add(
            page.figure(pr_curve_figure(curves, "Each model's whole trade-off").update_layout(height=460))
        )


def _add_failures(page: Page, table: TrialTable) -> None:
    failed = [t for t in table if t.status == "failed"]
    if failed:
        rows = [
            tag("tr", tag("td", tag("code", t.id)), tag("td", t.reason or "no reason given")) for t in failed
        ]
        page.add(tag("h2", "Failed trials"), tag("div", tag("table", *rows), class_="scroll"))


def _add_document(page: Page, store: ResultStore, table: TrialTable) -> None:
    text = store.document(table.sweep)
    if text is not None:
        page.add(tag("h2", "The sweep file"), tag("details", tag("summary", "sweep.yaml"), tag("pre", text)))


def _th(title: str) -> Markup:
    return tag("th", title, class_="n")


def _td(value: str) -> Markup:
    return tag("td", value, class_="n")
