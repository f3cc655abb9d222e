"""The page of the study of refined images: means over seeds, λ and K on one front, every number in the table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.refined_images_page import COLUMNS, front_chart, main, means, table
from explorer.figures.chart import Line


def row(lam: float | None, seed: int, method: str, budget: float, precision: float) -> dict[str, Any]:
    numbers = {name: 1.0 for name, _, _ in COLUMNS} | {"precision": precision, "recall": 1 - precision}
    return {"lam": lam, "seed": seed, "method": method, "budget": budget, **numbers}


ROWS = [
    one
    for lam, at in ((None, 0.5), (0.1, 0.4), (10.0, 0.7))
    for seed, off in ((100, 0.0), (101, 0.02))
    for one in (
        row(lam, seed, "none", 1.0, at + off),
        row(lam, seed, "obrs", 2.0, at + off + 0.1),
        row(lam, seed, "obrs", 8.0, at + off + 0.2),
        row(lam, seed, "drs", 2.0, at + off + 0.05),
    )
]
VERDICT = {"lam": None, "seed": 100, "method": "reliability", "sentence": "The ratio <holds>."}


def test_numbers_are_means_over_seeds() -> None:
    assert means([*ROWS, VERDICT])[(10.0, "obrs", 8.0)]["precision"] == pytest.approx(0.91)
    lines = table([*ROWS, VERDICT])
    assert len(lines) == 2 + 3 * 4
    assert lines[2].startswith("| base | none | 1 | 0.510 | 0.490 | 1.00 |")
    assert lines[2].endswith("| 1000.00 |"), "seconds are told as milliseconds"


def test_lines_of_lambda_and_of_the_budget_share_a_frame() -> None:
    chart = front_chart([*ROWS, VERDICT])
    bought, beside = chart.panels
    lines = {layer.name: layer for layer in bought.layers if isinstance(layer, Line)}
    assert lines["λ, at K = 1"].y.tolist() == pytest.approx([0.41, 0.71]), "in the order of λ"
    assert lines["budget K: OBRS from the base"].y.tolist() == pytest.approx([0.51, 0.61, 0.71])
    drawn = {layer.name: layer.y.tolist() for layer in beside.layers if isinstance(layer, Line)}
    assert drawn.keys() == {"obrs", "drs"}
    assert drawn["drs"] == pytest.approx([0.51, 0.56])
    assert chart.y.high > 0.91
    assert chart.y.low < 0.41


def test_methods_that_give_up_recall_are_named_and_not_drawn() -> None:
    lost = [row(None, seed, "dot", 2.0, 0.9) for seed in (100, 101)]
    chart = front_chart([*ROWS, *lost])
    drawn = {layer.name for layer in chart.panels[1].layers if isinstance(layer, Line)}
    assert drawn == {"obrs", "drs"}
    assert "by dot," in chart.subtitle
    assert "halved" not in front_chart(ROWS).subtitle


def test_a_base_alone_is_drawn_too() -> None:
    bought, beside = front_chart([one for one in ROWS if one["lam"] is None]).panels
    assert [layer.name for layer in bought.layers if isinstance(layer, Line)] == [
        "budget K: OBRS from the base"
    ]
    assert len(beside.layers) == 2


def test_the_page_has_the_chart_the_verdicts_and_the_table(tmp_path: Path) -> None:
    found, other, page = tmp_path / "images.json", tmp_path / "others.json", tmp_path / "page.html"
    found.write_text(json.dumps([*ROWS[:5], VERDICT]))
    other.write_text(json.dumps(ROWS[5:]))
    main([str(found), str(other), str(page)])
    html = page.read_text()
    assert "The ratio &lt;holds&gt;." in html
    assert html.count("<tr>") == 1 + 12
    assert "λ and K on one front" in html or "\\u03bb and K on one front" in html
