"""A refined model as one HTML file: metrics by budget, what samples cost, whether the ratio is right, and samples."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from explorer.figures.refined_chart import Series, refined_chart
from explorer.figures.reliability_chart import reliability_chart
from explorer.figures.still import still_figure
from explorer.html import Markup, Page, picture_tag, tag, write_html
from explorer.refining.picture import refined_picture
from explorer.refining.refined import Refined
from explorer.refining.table import Row, costs, rows
from explorer.results.reliability import read_reliability
from explorer.store.schema import budget_text
from trainables.metrics.metric import Entry

__all__ = ["write_page"]

FIRST = ("precision", "recall", "fid", "density", "coverage", "quality", "modes_hit")
"""Metrics that are drawn, as far as they were measured; the table has them all."""
MOST_DRAWN = 6


def write_page(found: Refined, path: Path) -> None:
    """Write the page; it needs no network."""
    write_html(path, _page(found))


def _page(found: Refined) -> str:
    subject = found.subject
    page = Page(f"{subject.method.name}: {subject.title} · Tradeoff Explorer")
    page.add(
        tag("p", "Tradeoff Explorer", class_="kicker"),
        tag("h1", f"What a sampling budget buys: {subject.title}"),
        tag("p", f"{subject.method.summary()} {_ratio_sentence(found)}"),
        page.figure(
            still_figure(
                refined_chart(
                    [one.budget for one in found.readings],
                    _series(found),
                    "Each metric as the budget K grows",
                    _subtitle(found),
                )
            )
        ),
        tag("h2", "Measured, foretold, and what it cost"),
        tag("div", _table(found), class_="scroll"),
    )
    ratio = subject.ratio
    read = None if ratio is None or ratio.reliability is None else read_reliability(ratio.reliability.plain())
    if read is not None:
        page.add(
            tag("h2", "Is the ratio to be trusted?"),
            tag("p", f"{read.sentence} {read.remedy}".strip()),
            page.figure(still_figure(reliability_chart(read))),
        )
    picture = refined_picture(found)
    if picture is not None:
        page.add(
            tag("h2", "Samples"),
            picture_tag(picture, "Samples of the data and of the model at every budget."),
        )
    page.add(tag("footer", _footer(found)))
    return page.html()


def _ratio_sentence(found: Refined) -> str:
    ratio = found.subject.ratio
    if ratio is None:
        return "It asks for no ratio of densities."
    known = {
        "critic": "by the critic",
        "density": "from the model's density and the law of the data",
        "classifier": "by a classifier that was fitted after training",
        "scores": "by the scores that came with the samples",
    }[ratio.source]
    how = "" if ratio.calibration is None else f", calibrated ({ratio.calibration})"
    return f"The ratio of densities is known {known}{how}."


def _subtitle(found: Refined) -> str:
    told = [f"{_counts(found)} samples at every K"]
    if found.foretold is not None:
        told.append(f"dashed: what theory foretells from the curve at K = 1, by {found.foretold.source}")
    return "; ".join(told)


def _counts(found: Refined) -> str:
    """How many samples there are at a budget; of given draws there are fewer at larger ones."""
    counts = [one.ledger.samples for one in found.readings]
    least, most = min(counts), max(counts)
    return f"{most:,}" if least == most else f"{least:,} to {most:,}"


def _series(found: Refined) -> dict[str, Series]:
    """The metrics that are drawn."""
    measured = {row.key: row for row in rows(found)}
    names = [name for name in FIRST if name in measured] or list(measured)
    entries = {entry.key: entry for entry in found.subject.evaluation.entries()}
    return {name: _one_series(measured[name], entries[name]) for name in names[:MOST_DRAWN]}


def _one_series(row: Row, entry: Entry) -> Series:
    ends = np.array([(np.nan, np.nan) if pair is None else pair for pair in row.ends])
    foretold = np.array([np.nan if value is None else value for value in row.foretold])
    return Series(row.title, np.array(row.values), ends[:, 0], ends[:, 1], foretold, entry.low, entry.high)


def _table(found: Refined) -> Markup:
    head = tag(
        "tr",
        tag("th", ""),
        *(tag("th", f"K = {budget_text(one.budget)}", class_="n") for one in found.readings),
    )
    body = [
        tag(
            "tr",
            tag("td", row.title),
            *(tag("td", _cell(row, i), class_="n value") for i in range(len(row.values))),
        )
        for row in rows(found)
    ]
    body += [
        tag("tr", tag("td", title, class_="muted"), *(tag("td", value, class_="n muted") for value in values))
        for title, values in costs(found).items()
    ]
    return tag("table", head, *body)


def _cell(row: Row, place: int) -> Markup:
    """A value, its interval, and what was foretold of it."""
    parts: list[object] = [f"{row.values[place]:.4g}"]
    pair, foretold = row.ends[place], row.foretold[place]
    if pair is not None:
        parts.append(tag("small", f"{pair[0]:.4g} to {pair[1]:.4g}"))
    if foretold is not None and place:
        gap = row.values[place] - foretold
        parts.append(tag("small", f"foretold {foretold:.4g}, gap {gap:+.2g}"))
    return Markup("").join(Markup.escape(part) for part in parts)


def _footer(found: Refined) -> str:
    evaluation = found.subject.evaluation
    features = "" if evaluation.features is None else f" in features {evaluation.features.name}"
    tuned = f"; constants on {found.tuned_on:,} draws" if found.tuned_on else ""
    return f"{_counts(found)} samples a budget{features}, k = {evaluation.k}; seed {found.seed}{tuned}."
