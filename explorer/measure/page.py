"""A measurement as one HTML file: its numbers and its curves."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from explorer.measure.curves import frontier_points
from explorer.measure.report import BESIDE, Measurement

__all__ = ["Row", "reasons", "rows", "write_page"]

_NAMES = {"prd": "PRD (k-means)"}


class Row(NamedTuple):
    """One number of a measurement: its interval with the kind of that, or why it has none."""

    name: str
    value: float
    ends: tuple[float, float] | None
    kind: str | None
    withheld: str | None

    def cells(self) -> tuple[str, str, str, str, str]:
        """Name, value, low, high and kind, as tables have them."""
        low, high = ("–", "–") if self.ends is None else (f"{end:.4g}" for end in self.ends)
        return self.name, f"{self.value:.4g}", low, high, self.kind or "withheld"


def rows(values: dict[str, Any], prefix: str = "") -> list[Row]:
    """The numbers in order; nested ones are named with a dot."""
    found = []
    for name, entry in values.items():
        if name in BESIDE or entry is None:
            continue
        if "ci" in entry:
            ends = None if entry["ci"] is None else tuple(entry["ci"])
            found.append(
                Row(prefix + name, entry["value"], ends, entry.get("interval"), entry.get("withheld"))
            )
        else:
            found.extend(rows(entry, f"{prefix}{name}."))
    return found


def reasons(found: list[Row]) -> list[str]:
    """Why intervals are withheld, a sentence per reason with the names of its numbers."""
    by_reason: dict[str, list[str]] = {}
    for row in found:
        if row.withheld is not None:
            by_reason.setdefault(row.withheld, []).append(row.name)
    return [f"{', '.join(names)}: {reason}" for reason, names in by_reason.items()]


def write_page(found: Measurement, path: Path) -> None:
    """Write the page; it needs no network."""
    from explorer.html import write_html

    write_html(path, _page(found))


def _page(found: Measurement) -> str:
    from explorer.figures import frontier_figure, pr_curve_figure
    from explorer.html import Page, tag

    settings = found.values["settings"]
    head = tag(
        "tr",
        tag("th", "metric"),
        *(tag("th", name, class_="n") for name in ("value", "low", "high")),
        tag("th", "interval"),
    )
    numbers = rows(found.values)
    body = [
        tag("tr", tag("td", name), *(tag("td", cell, class_="n") for cell in cells), tag("td", kind))
        for name, *cells, kind in (row.cells() for row in numbers)
    ]
    notes = ", ".join(f"{key} {value}" for key, value in settings.items() if key not in ("real", "fake"))
    page = Page("Samples measured · Tradeoff Explorer")
    page.add(
        tag("p", "Tradeoff Explorer", class_="kicker"),
        tag("h1", f"{settings['fake']['path']} against {settings['real']['path']}"),
        tag("div", tag("table", head, *body), class_="scroll"),
        *(tag("p", f"No interval for {reason}.") for reason in reasons(numbers)),
    )
    if found.curves:
        curves = {
            _title(name, settings): {
                "lambda": curve.lam.tolist(),
                "precision": curve.precision.tolist(),
                "recall": curve.recall.tolist(),
            }
            for name, curve in found.curves.items()
        }
        page.add(page.figure(pr_curve_figure(curves).update_layout(height=460)))
    if found.frontiers:
        frontiers = {
            f"{frontier.kind} ({settings['frontier']['learner']})": frontier_points(frontier)
            for frontier in found.frontiers.values()
        }
        page.add(page.figure(frontier_figure(frontiers, settings["frontier"]["order"])))
    real, fake = (settings[side]["samples"] for side in ("real", "fake"))
    page.add(tag("footer", f"{real} real, {fake} fake samples. {notes}."))
    return page.html()


def _title(name: str, settings: dict[str, Any]) -> str:
    """What a curve is called, with the classifier that it is made of."""
    learner = settings.get(name, {}).get("learner")
    return _NAMES.get(name, name) + (f" ({learner})" if learner else "")
