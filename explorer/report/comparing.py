"""The page of a comparison: who, metrics with intervals, what differs, curves, samples, costs, commands."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from explorer.comparison import Comparison, Measured
from explorer.comparison.sides import metric_names, seeds_of
from explorer.comparison.words import chance, letter, told, value_words
from explorer.figures import read_curve
from explorer.figures.compared import Curves, alpha_curve, compared_curves, compared_histories
from explorer.figures.theme import CATEGORIES
from explorer.html import Markup, Page, is_picture, picture_tag, tag, write_html
from explorer.html.strip import Mean, strip
from explorer.report.gallery import samples_card
from explorer.results.fields import sentence
from explorer.results.naming import plain
from explorer.results.repeat import base_params, can_repeat, repeat_name, repeat_yaml
from explorer.results.store import ResultStore
from explorer.store.options import store_option
from explorer.store.schema import CURVE_FILE, THUMB_FILE, budget_text
from explorer.words import counted

__all__ = ["write_comparison"]

MOST_PANELS = 3
"""Metrics over training, the goals first."""
MOST_SEEDS = 12
"""Other seeds whose curves are drawn beside a run's own."""


def write_comparison(store: ResultStore, found: Comparison, path: Path) -> None:
    """Write the comparison as one HTML file that needs no network. Every value in it is escaped."""
    names = [side.name for side in found.sides]
    title = " against ".join(names) if len(names) == 2 else f"{len(names)} runs beside each other"
    page = Page(f"{title} · Tradeoff Explorer")
    page.add(tag("p", "Tradeoff Explorer · comparison", class_="kicker"), tag("h1", title))
    page.add(tag("div", *(_card(store, found, i) for i in range(len(names))), class_="cards"))
    page.add(*(tag("p", told) for told in found.sentences()))
    page.add(*_metrics(found), *_differences(found))
    page.add(*_figures(page, store, found), *_samples(page, store, found), *_costs(found))
    page.add(*_commands(store, found))
    page.add(tag("footer", f"Written by Tradeoff Explorer, {datetime.now(UTC):%d %B %Y, %H:%M} UTC."))
    write_html(path, page.html(), "comparison")


def _mark(i: int) -> Markup:
    """A side's letter in its colour."""
    return tag("b", letter(i), class_="mark", style=f"background: {CATEGORIES[i % len(CATEGORIES)]}")


def _card(store: ResultStore, found: Comparison, i: int) -> Markup:
    side = found.sides[i]
    seeds = "this seed" if found.alone else counted(found.seeds(i), "seed")
    content = store.artifact_bytes(side.trial.run_id, THUMB_FILE)
    thumb = (
        "" if content is None or not is_picture(content) else picture_tag(content, f"samples of {side.name}")
    )
    return tag(
        "div",
        tag("div", _mark(i), tag("span", f"{seeds}, {found.at[i].words(with_method=True)}")),
        tag("p", side.name, class_="who"),
        tag("span", f"{side.label} · {side.trial.id}"),
        thumb,
        class_="card run",
    )


def _metrics(found: Comparison) -> list[Markup]:
    if not found.metrics:
        return [
            tag("h2", "Metrics"),
            tag("p", "Nothing has been measured of these runs yet.", class_="muted"),
        ]
    sides = range(len(found.sides))
    head = tag("tr", tag("th", "Metric"), tag("th", ""), *(tag("th", _mark(i)) for i in sides))
    rows = [
        tag(
            "tr",
            tag(
                "td",
                metric.title + {"max": " ↑", "min": " ↓"}.get(metric.direction or "", ""),
                title=sentence(metric.name, found.sides[0].columns.table.catalogue) or metric.name,
            ),
            tag("td", _strip(metric), class_="strip"),
            *(_value(metric, i) for i in sides),
        )
        for metric in found.metrics
    ]
    note = (
        "Large dots are means over seeds, small ones the seeds, lines intervals at 95 %. Below a mean is its "
        "difference to A; the best mean is bold."
        if not found.alone
        else "Single seeds; lines are the intervals measured with them, if there are any."
    )
    return [
        tag("h2", "Metrics"),
        tag("p", note, class_="muted"),
        tag("div", tag("table", tag("thead", head), tag("tbody", *rows), class_="measured"), class_="scroll"),
    ]


def _strip(metric: Measured) -> Markup:
    return strip(
        [
            Mean(
                one.value,
                one.low,
                one.high,
                [*seeds.values()] if len(seeds) > 1 else [],
                CATEGORIES[i % len(CATEGORIES)],
                f"{letter(i)}: {value_words(one)}" + (f", {one.seeds} seeds" if one.seeds > 1 else ""),
            )
            for i, (one, seeds) in enumerate(zip(metric.values, metric.seeds, strict=True))
        ]
    )


def _value(metric: Measured, i: int) -> Markup:
    """A mean; below it what it differs by from the first, and how surely."""
    words = value_words(metric.values[i])
    parts: list[object] = [tag("b", words) if metric.best == i else words]
    if i and metric.differences[i - 1].is_known:
        one, verdict = metric.differences[i - 1], metric.verdict(i)
        mark = {"better": "▲ better", "worse": "▼ worse", "higher": "higher", "lower": "lower"}.get(
            verdict, ""
        )
        parts.append(tag("small", told(one)))
        if one.corrected is not None:
            parts.append(tag("small", chance(one.corrected)))
        if mark:
            parts.append(tag("small", mark, class_=verdict))
    return tag("td", *parts, class_="value")


def _differences(found: Comparison) -> list[Markup]:
    points, table = found.points, found.sides[0].columns.table
    head = tag("tr", tag("th", "Field"), *(tag("th", _mark(i)) for i in range(len(points))))
    rows = []
    for path in found.differing():
        values = [plain(point[path]) if path in point else "–" for point in points]
        cells = [tag("td", value if value == values[0] else tag("b", value)) for value in values]
        rows.append(
            tag("tr", tag("td", table.title(path), title=sentence(path, table.catalogue) or path), *cells)
        )
    shown = (
        tag("div", tag("table", tag("thead", head), tag("tbody", *rows)), class_="scroll")
        if rows
        else tag("p", "Nothing of what was trained differs.", class_="muted")
    )
    alike = [
        tag("tr", tag("td", tag("code", path)), tag("td", plain(value)))
        for path, value in found.shared().items()
    ]
    folded = (
        tag(
            "details",
            tag("summary", f"{counted(len(alike), 'field')} alike"),
            tag("div", tag("table", *alike), class_="scroll"),
        )
        if alike
        else Markup("")
    )
    return [tag("h2", "What differs"), shown, folded]


def _figures(page: Page, store: ResultStore, found: Comparison) -> Iterator[Markup]:
    curves = compared_curves(
        {f"{letter(i)} · {s.name}": _curves(store, found, i) for i, s in enumerate(found.sides)}
    )
    if curves is not None:
        yield tag("h2", "Their whole trade-off")
        yield tag("p", "The curves of the models as they are, whatever the budget above.", class_="muted")
        yield page.figure(curves)
    goals = [goal.metric for side in found.sides for goal in side.columns.table.goals]
    metrics = list(dict.fromkeys(goals))[:MOST_PANELS]
    histories = {
        f"{letter(i)} · {side.name}": {
            metric: store.history(side.trial.run_id, metric)
            for metric in metrics
            if metric in side.trial.metrics
        }
        for i, side in enumerate(found.sides)
    }
    training = compared_histories(histories, metrics, found.sides[0].columns.table.title)
    if training is not None:
        yield tag("h2", "How they got there")
        yield tag("p", "The objectives of these very runs over training.", class_="muted")
        yield page.figure(training)


def _curves(store: ResultStore, found: Comparison, i: int) -> Curves:
    """A run's own curve as stored; those of its other seeds off the table, which asks the store for nothing."""
    side = found.sides[i]
    own = read_curve(store.artifact_json(side.trial.run_id, CURVE_FILE)) or alpha_curve(side.trial.alphas)
    if found.alone:
        return Curves(own)
    others = [trial for trial in side.columns.rows(seeds_of(side)) if trial.id != side.trial.id]
    return Curves(own, [rows for trial in others[:MOST_SEEDS] if (rows := alpha_curve(trial.alphas))])


def _samples(page: Page, store: ResultStore, found: Comparison) -> list[Markup]:
    cards = [
        card
        for i, (side, at) in enumerate(zip(found.sides, found.at, strict=True))
        if (
            card := samples_card(
                page, store, side.columns.table, side.trial, f"{letter(i)} · {side.name}", at
            )
        )
        is not None
    ]
    if not cards:
        return []
    images = any("<img" in card for card in cards)
    lead = "Real images, then the models'." if images else "Real points grey, the models' blue."
    return [
        tag("h2", "Samples side by side"),
        tag("p", lead, class_="muted"),
        tag("div", *cards, class_="gallery"),
    ]


def _costs(found: Comparison) -> list[Markup]:
    sides = range(len(found.sides))
    steps = [found.iterations(i) for i in sides]
    rows = (
        [[tag("td", "Iterations"), *(_td("–" if n is None else f"{n:,}") for n in steps)]]
        if any(steps)
        else []
    )
    rows += [
        [tag("td", cost.title), *(_td(value_words(value)) for value in cost.values)] for cost in found.costs
    ]
    if not rows:
        return []
    head = tag("tr", tag("th", ""), *(tag("th", _mark(i)) for i in sides))
    body = [tag("tr", *row) for row in rows]
    return [
        tag("h2", "What they cost"),
        tag("div", tag("table", tag("thead", head), tag("tbody", *body)), class_="scroll"),
    ]


def _td(words: str) -> Markup:
    return tag("td", words, class_="value")


def _commands(store: ResultStore, found: Comparison) -> Iterator[Markup]:
    """The comparison once more, and each run once more, from a sweep file of its own."""
    option = store_option(store.uri)
    runs = " ".join(shlex.quote(side.trial.run_id) for side in found.sides)
    at = max(found.at, key=lambda one: one.budget)
    read = "" if at.budget == 1 else f" --budget {budget_text(at.budget)} --method {shlex.quote(at.method)}"
    names = [metric.name for metric in found.metrics]
    usual = metric_names(list(zip(found.sides, found.at, strict=True)))
    # p-values are corrected for the number of metrics, so the command asks for the very same ones.
    asked = "" if names == usual else f" --metrics {shlex.quote(','.join(names))}"
    yield tag("h2", "Once more")
    yield tag("p", "This comparison, of what the store has by then:", class_="muted")
    yield tag("pre", f"tradeoff compare {runs}{read}{asked}{option}")
    repeated: Sequence[int] = [i for i, side in enumerate(found.sides) if can_repeat(side.trial)]
    if repeated:
        yield tag("p", "Each run trained again, from a sweep file of its own:", class_="muted")
    for i in repeated:
        side = found.sides[i]
        table = side.columns.table
        file = f"{repeat_name(side.trial)}.yaml"
        yield tag(
            "details",
            tag("summary", _mark(i), f" tradeoff sweep {file}"),
            tag(
                "pre",
                repeat_yaml(
                    side.trial, table.sweep, _document(store, table.sweep), base_params(table, side.trial)
                ),
            ),
        )


def _document(store: ResultStore, sweep: str) -> str | None:
    """The sweep's file, for what it says of readings; of a name in several experiments, none."""
    from explorer.errors import UserError

    try:
        return store.document(sweep)
    except UserError:
        return None
