"""``tradeoff theory``: everything the papers define about two discrete laws."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from explorer.cli.target import check_page
from explorer.store.schema import budget_text

if TYPE_CHECKING:
    from rich.table import Table

    from explorer.theory import Comparison

__all__ = ["theory"]

SHOWN = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Trade-offs of the printed table, unless --lambdas says otherwise."""


def theory(
    real: Annotated[str, typer.Option("--real", help="Probabilities of the real law, such as 0.5,0.3,0.2.")],
    model: Annotated[str, typer.Option("--model", help="Probabilities of the model, on the same outcomes.")],
    lambdas: Annotated[
        str | None,
        typer.Option("--lambdas", help="Trade-offs λ, such as 0.1,1,10. Default: an equiangular grid."),
    ] = None,
    budget: Annotated[float, typer.Option("--budget", help="Budget K ≥ 1 of optimal rejection.")] = 2.0,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object; null stands for ∞.")
    ] = False,
    html: Annotated[Path | None, typer.Option("--html", help="Write a self-contained page here.")] = None,
) -> None:
    """Compare two known laws: divergences, PR curve, frontiers, and what rejection buys."""
    from explorer.theory import compare
    from explorer.theory.inputs import parse_numbers

    p, q = parse_numbers(real, "--real"), parse_numbers(model, "--model")
    chosen = None if lambdas is None else parse_numbers(lambdas, "--lambdas")
    if html is not None:
        check_page(html)
    tables = html is None and not as_json
    comparison = compare(p, q, chosen or (SHOWN if tables else None), budget)
    if html is not None:
        from explorer.theory.page import write_comparison

        write_comparison(comparison, html)
        print(f"page written to {html}", file=sys.stderr)
    if as_json:
        print(json.dumps(comparison.document(), ensure_ascii=False, indent=2, allow_nan=False))
    if tables:
        _print_tables(comparison)


def _print_tables(comparison: Comparison) -> None:
    from rich.columns import Columns
    from rich.console import Console

    console = Console()
    console.print(Columns([_curve_table(comparison), _divergence_table(comparison)], padding=(0, 3)))
    console.print(_frontier_table(comparison))
    refined = comparison.refined
    kept = f"accepts {refined.acceptance:.2%} with min(c·p/q, 1), c={_number(refined.constant)}"
    lines = (
        f"area {comparison.auc:.4f} ({refined.auc:.4f} refined) · F8 {comparison.f8:.4f} (recall) · "
        f"F1/8 {comparison.f1_8:.4f} (precision)",
        f"supports: precision {comparison.support_precision:.4f} at λ=∞, recall {comparison.support_recall:.4f} at λ=0",
        f"K={budget_text(refined.budget)}: {kept}; largest ratio M={_number(comparison.largest_ratio)}",
        f"every f-divergence shrinks by at least {refined.improvement:.2%}",
    )
    for line in lines:
        console.print(line, highlight=False, markup=False)


def _curve_table(comparison: Comparison) -> Table:
    from rich.table import Table

    refined = comparison.refined
    table = Table(title="Precision and recall", title_justify="left")
    for heading in (
        "λ",
        "precision",
        "recall",
        "D_λ",
        f"precision K={budget_text(refined.budget)}",
        f"recall K={budget_text(refined.budget)}",
    ):
        table.add_column(heading, justify="right", no_wrap=True)
    rows = zip(comparison.curve, comparison.pr_divergence, refined.curve, strict=True)
    for before, (_, divergence), after in rows:
        numbers = (before.precision, before.recall, divergence, after.precision, after.recall)
        table.add_row(f"{before.lam:.4g}", *(f"{x:.4f}" for x in numbers))
    return table


def _divergence_table(comparison: Comparison) -> Table:
    from rich.table import Table

    from explorer.theory.figures import LABELS

    table = Table(title="Divergences from real", title_justify="left")
    table.add_column("divergence", no_wrap=True)
    for heading in ("model", "refined"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, value in comparison.divergences.items():
        table.add_row(LABELS[name], _number(value), _number(comparison.refined.divergences[name]))
    return table


def _frontier_table(comparison: Comparison) -> Table:
    """The balanced point of each frontier: R at equal odds between the laws."""
    from rich.table import Table

    from explorer.theory.figures import order_label

    table = Table(title="Divergence frontiers at the balanced point", title_justify="left")
    for heading in ("order α", "R to model", "R to real", "model to R", "real to R"):
        table.add_column(heading, justify="right", no_wrap=True)
    by_kind = {(f.kind, f.order): f.points[len(f.points) // 2] for f in comparison.frontiers}
    for order in dict.fromkeys(f.order for f in comparison.frontiers):
        numbers = (*by_kind["exclusive", order], *by_kind["inclusive", order])
        table.add_row(order_label(order), *map(_number, numbers))
    return table


def _number(value: float) -> str:
    return f"{value:.4f}" if math.isfinite(value) else "∞"
