"""A measurement as one HTML file: its numbers and its curves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from explorer.measure.report import Measurement

__all__ = ["rows", "write_page"]

_NAMES = {"prd": "PRD (k-means)", "classifier": "classifier"}


def rows(values: dict[str, Any], prefix: str = "") -> list[tuple[str, float, float, float]]:
    """Flat (name, value, low, high) in order; nested numbers are named with a dot."""
    found = []
    for name, entry in values.items():
        if name in ("settings", "modes") or entry is None:
            continue
        if "ci" in entry:
            found.append((prefix + name, entry["value"], *entry["ci"]))
        else:
            found.extend(rows(entry, f"{prefix}{name}."))
    return found


def write_page(found: Measurement, path: Path) -> None:
    """Write the page; it needs no network."""
    from explorer.html import write_html

    write_html(path, _page(found))


def _page(found: Measurement) -> str:
    from explorer.figures import pr_curve_figure
    from explorer.html import Page, tag

    settings = found.values["settings"]
    head = tag("tr", tag("th", "metric"), *(tag("th", name, class_="n") for name in ("value", "low", "high")))
    body = [
        tag("tr", tag("td", name), *(tag("td", f"{number:.4g}", class_="n") for number in numbers))
        for name, *numbers in rows(found.values)
    ]
    notes = ", ".join(f"{key} {value}" for key, value in settings.items() if key not in ("real", "fake"))
    page = Page("Samples measured · Tradeoff Explorer")
    page.add(
        tag("p", "Tradeoff Explorer", class_="kicker"),
        tag("h1", f"{settings['fake']['path']} against {settings['real']['path']}"),
        tag("div", tag("table", head, *body), class_="scroll"),
    )
    if found.curves:
        curves = {
            _NAMES.get(name, name): {
                "lambda": curve.lam.tolist(),
                "precision": curve.precision.tolist(),
                "recall": curve.recall.tolist(),
            }
            for name, curve in found.curves.items()
        }
        page.add(page.figure(pr_curve_figure(curves).update_layout(height=460)))
    real, fake = (settings[side]["samples"] for side in ("real", "fake"))
    page.add(tag("footer", f"{real} real, {fake} fake samples. {notes}."))
    return page.html()
