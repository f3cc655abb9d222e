"""Thesis table 6.1 over several trained GANs: what was chosen on one model is reported on others.

    python benchmarks/table_61.py FILE … [--sets 100] [--moved 20]     # samplers' files, of other seeds
    python benchmarks/table_61.py --rates [--moved 8]                  # lengths of a step on the model that comes along

FILEs are what ``benchmarks/table_61_model.py`` leaves. Printed are, as Markdown, precision and recall of every row of
``trainables.studies.table_61``, means over files ± standard error over them, calls for a set of 2,500 samples, and of
how many files a row has less precision than OBRS. ``--json FILE`` writes the numbers of every file.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import torch

from trainables.refinements.dgflow import DGFlow
from trainables.refinements.dot import Dot
from trainables.studies.gaussians25_gan import gaussians25_gan, gaussians25_law, trained_of
from trainables.studies.refined_sets import Spread
from trainables.studies.table_61 import DEARER, ROWS, Line, Row, table_61

__all__ = ["main", "markdown", "rates"]

DOT_RATES = (0.005, 0.01, 0.02, 0.03, 0.05, 0.1)
FLOW_RATES = (0.001, 0.002, 0.003, 0.004, 0.006, 0.01, 0.03, 0.1)

HEADER = """\
| | precision | recall | calls of G | of D | gradients | acceptance | behind OBRS |
|---|---|---|---|---|---|---|---|"""


def rates() -> Iterator[Row]:
    """Lengths of a step at the cost of the table."""
    for rate in DOT_RATES:
        yield Row(f"DOT, rate {rate:g}", Dot(rate=rate))
    for rate in FLOW_RATES:
        yield Row(f"DGflow, rate {rate:g}", DGFlow(rate=rate))


def markdown(tables: Sequence[Sequence[Line]]) -> str:
    """A row of every refinement, of tables (files, rows) that have the same rows."""
    return "\n".join([HEADER, *(_row(lines, tables) for lines in zip(*tables, strict=True))])


def _row(lines: Sequence[Line], tables: Sequence[Sequence[Line]]) -> str:
    cells = [lines[0].row.title]
    for name in ("precision", "recall"):
        found = Spread.of(torch.tensor([getattr(line, name).mean for line in lines]))
        cells.append(f"{100 * found.mean:.2f} ± {100 * found.error:.2f}")
    for name in ("draws", "scores", "gradients"):
        found = Spread.of(torch.tensor([getattr(line, name).mean for line in lines]))
        cells.append(f"{found.mean:.0f}")
    cells.append(f"{Spread.of(torch.tensor([line.acceptance for line in lines])).mean:.4f}")
    best = [next((own.precision.mean for own in table if own.row.title == "OBRS"), 0.0) for table in tables]
    behind = sum(line.precision.mean < of for line, of in zip(lines, best, strict=True))
    cells.append("" if lines[0].row.title == "OBRS" else f"{behind} of {len(lines)}")
    return f"| {' | '.join(cells)} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", type=Path, nargs="*", help="samplers' files")
    parser.add_argument(
        "--rates", action="store_true", help="lengths of a step, on the model that comes along"
    )
    parser.add_argument("--sets", type=int, default=100, help="sets of 2,500 where draws are chosen from")
    parser.add_argument("--moved", type=int, default=20, help="sets where they are moved")
    parser.add_argument("--json", type=Path, help="file for the numbers")
    options = parser.parse_args(arguments)
    if not options.files and not options.rates:
        parser.error("give files of samplers, or --rates")
    rows = list(rates()) if options.rates else [*ROWS, *DEARER]
    models = (
        [trained_of(path.read_bytes()) for path in options.files] if options.files else [gaussians25_gan()]
    )
    law = gaussians25_law()
    tables = []
    for model in models:
        tables.append(list(table_61(model, law, rows, options.sets, options.moved, timed=1)))
        print(f"{len(tables)} of {len(models)} models", flush=True)
    print(markdown(tables))
    if options.json is not None:
        names = [path.name for path in options.files] or ["gaussians25-gan"]
        told = {
            name: {line.row.title: {k: v for k, v in asdict(line).items() if k != "row"} for line in lines}
            for name, lines in zip(names, tables, strict=True)
        }
        options.json.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
