"""What a budget buys beside what λ buys, drawn: the page of ``refined_images.py --on``, from its images.json.

python benchmarks/refined_images_page.py images.json … PAGE.html
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.figures.chart import Axis, Chart, Dash, Layer, Line, Panel, Text
from explorer.figures.still import still_figure
from explorer.html import Markup, Page, tag, write_html

__all__ = ["front_chart", "main", "means", "table", "write_page"]

Row = Mapping[str, Any]
Numbers = NDArray[np.float64]
COLUMNS = (
    ("precision", "Precision", 3), ("recall", "Recall", 3), ("fid", "FID", 2), ("density", "Density", 3),
    ("coverage", "Coverage", 3), ("draws", "calls of G", 2), ("scores", "calls of D", 2), ("gradients", "gradients", 2),
    ("acceptance", "acceptance", 3), ("seconds", "ms a sample", 2),
)  # fmt: skip
MARGIN = 0.06
LEAST = 0.5
"""What a method must leave of the recall of the base to be drawn."""


def means(rows: Sequence[Row]) -> dict[tuple[float | None, str, float], dict[str, float]]:
    """Means over seeds by λ (None: the base), method and K."""
    groups: dict[tuple[float | None, str, float], list[Row]] = {}
    for row in rows:
        if "budget" in row:
            groups.setdefault((row["lam"], row["method"], row["budget"]), []).append(row)
    return {
        key: {name: float(np.mean([row[name] for row in group])) for name, _, _ in COLUMNS}
        for key, group in groups.items()
    }


def front_chart(rows: Sequence[Row]) -> Chart:
    """Left the plane of recall and precision: λ at K = 1, and OBRS on from every model; right the base by every method.

    O(rows).
    """
    found = means(rows)
    lams = sorted({lam for lam, _, _ in found if lam is not None})
    methods = list(dict.fromkeys(method for _, method, _ in found if method != "none"))
    bought: list[Layer] = []
    if lams:
        bought.append(_line(found, [(lam, "none", 1.0) for lam in lams], "muted", "λ, at K = 1", "dash"))
    words, places = [], []
    for lam in (None, *lams):
        keys = _grown(found, lam, "obrs")
        colour = "contrast" if lam is None else "accent"
        name = "budget K: OBRS from the base" if lam is None else "budget K: OBRS from every λ"
        bought.append(_line(found, keys, colour, name))
        words.append(_model(lam))
        places.append(_place(found, keys[:1]))
    at = np.concatenate(places)
    bought.append(Text(at[:, 0], at[:, 1], [f"\u2003{word}" for word in words], anchor="start"))
    grown = {method: _grown(found, None, method) for method in methods}
    near = [method for method in methods if _place(found, grown[method])[:, 0].min() >= LEAST * at[0, 0]]
    beside: list[Layer] = [
        _line(found, grown[method], f"category:{i}", method) for i, method in enumerate(near)
    ]
    far = ", ".join(method for method in methods if method not in near)
    left = f"; recall more than halved by {far}, in the table alone" if far else ""
    shown = _place(found, [key for key in found if key[1] in ("none", "obrs")])
    every = np.concatenate([_place(found, grown[method]) for method in near])
    x, y = _axis("Recall", shown[:, 0]), _axis("Precision", shown[:, 1])
    wide = _axis("Recall", every[:, 0]), _axis("Precision", every[:, 1])
    return Chart(
        x,
        y,
        (),
        title="What a budget buys beside what λ buys",
        subtitle=f"lines grow from K = 1 to the largest K{left}",
        panels=[Panel("λ and K on one front", bought), Panel("The base through every method", beside, *wide)],
        alt="Precision against recall as λ or the budget K grows.",
        height=460,
        file="refined-images",
    )


def table(rows: Sequence[Row]) -> list[str]:
    """Markdown: a line for each λ, method and K, means over seeds."""
    lines = [
        f"| model | method | K | {' | '.join(title for _, title, _ in COLUMNS)} |",
        "|---" * (3 + len(COLUMNS)) + "|",
    ]
    for (lam, method, budget), found in means(rows).items():
        cells = [
            f"{1000 * found[name] if name == 'seconds' else found[name]:.{digits}f}"
            for name, _, digits in COLUMNS
        ]
        lines.append(f"| {_model(lam)} | {method} | {budget:g} | {' | '.join(cells)} |")
    return lines


def write_page(rows: Sequence[Row], path: Path) -> None:
    """The chart and the table as one file."""
    page = Page("What a budget buys on images · Tradeoff Explorer")
    head, _, *body = (line.strip("| ").split(" | ") for line in table(rows))
    cells = [tag("tr", *(tag("td", cell, class_="n") for cell in line)) for line in body]
    verdicts = [
        tag("p", f"{_name(row)}: {row['sentence']}") for row in rows if row["method"] == "reliability"
    ]
    page.add(
        tag("p", "Tradeoff Explorer", class_="kicker"),
        tag("h1", "What a sampling budget buys on images"),
        page.figure(still_figure(front_chart(rows), across=2)),
        Markup("").join(verdicts),
        tag("div", tag("table", tag("tr", *(tag("th", cell) for cell in head)), *cells), class_="scroll"),
    )
    write_html(path, page.html())


def _name(row: Row) -> str:
    return f"{_model(row['lam'])}, seed {row['seed']}"


def _model(lam: float | None) -> str:
    return "base" if lam is None else f"λ = {lam:g}"


Key = tuple[float | None, str, float]


def _grown(found: Mapping[Key, object], lam: float | None, method: str) -> list[Key]:
    """The model as it is, then through a method as K grows."""
    return [(lam, "none", 1.0), *sorted(key for key in found if key[:2] == (lam, method))]


def _place(found: Mapping[Key, Mapping[str, float]], keys: Sequence[Key]) -> Numbers:
    return np.array([(found[key]["recall"], found[key]["precision"]) for key in keys])


def _line(
    found: Mapping[Key, Mapping[str, float]],
    keys: Sequence[Key],
    colour: str,
    name: str,
    dash: Dash = "solid",
) -> Line:
    at = _place(found, keys)
    return Line(at[:, 0], at[:, 1], colour, 2.0, dash, name=name, markers=True)


def _axis(title: str, values: Numbers) -> Axis:
    room = MARGIN * max(float(values.max() - values.min()), 0.01)
    return Axis(title, float(values.min()) - room, float(values.max()) + room)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read every images.json, write the page, print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("found", type=Path, nargs="+")
    parser.add_argument("page", type=Path)
    options = parser.parse_args(arguments)
    rows = [row for file in options.found for row in json.loads(file.read_text(encoding="utf-8"))]
    write_page(rows, options.page)
    print("\n".join(table(rows)))


if __name__ == "__main__":
    main()
