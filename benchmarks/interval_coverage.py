"""How often intervals hold what they are about: metric × law × dimension × number of samples.

    python benchmarks/interval_coverage.py [--sets 100] [--seed 0] [--laws shifted,dropped,heavy] [--dims 2,8,64]
        [--sizes 500,2000] [--jobs 2] [--metrics …] [--write benchmarks/interval_coverage.txt] [--markdown FILE]

Laws are those of tests/interval_coverage.py, also ``equal`` and ``apart``; a size 400x1200 has 400 real and 1,200
generated samples. The target is the mean of ``--big`` draws of 10,000 samples a side for what does not depend on the
number of samples by design (``limit``), else the mean of the values at that number (``own``). Printed per line:

- cover: share of the given intervals that hold the target; given: share of data sets that have an interval;
- width: their mean width; sd: of the values; bias: mean value less the value at 10,000 samples.

A line outside 0.90 to 0.99 is marked: < below, > above; = is a score that is the same for every data set, which any
interval around it holds. Of 100 intervals that hold their target with probability 0.95 all do in one line of 170, and
fewer than 90 in one of 90, so that a table of 258 lines has a few marks by luck: ``--sets 400`` tells luck from fault.
The file is written after every data set of all cells. ``--markdown`` writes the tables of docs/measures.md.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
import torch

from tests.interval_coverage import LAWS, OWN_MEAN, Coverage, Number, coverage, measured
from trainables.metrics import Metric, every_metric

ROOT = Path(__file__).parents[1]
BIG = 10_000
LEAST, MOST = 0.90, 0.99
Found = dict[tuple[str, int, tuple[int, int]], dict[str, list[Number]]]
Big = dict[tuple[str, int], dict[str, list[Number]]]
Job = tuple[str, int, tuple[int, int], int, tuple[str, ...], bool]


def members(names: tuple[str, ...]) -> list[Metric]:
    """The metrics asked for."""
    chosen = [metric for metric in every_metric() if "law" not in metric.needs]
    return [metric for metric in chosen if not names or metric.name in names]


def work(job: Job) -> dict[str, Number]:
    """One data set; large ones have no intervals and seeds of their own."""
    law, d, sizes, seed, names, big = job
    torch.set_num_threads(1)
    return measured(law, sizes, d, (int(big), *sizes, d, seed), members(names), draws=0 if big else 500)


@dataclass(frozen=True)
class Line:
    """One number of one cell. ``bias`` is None where nothing was measured at 10,000 samples."""

    key: str
    law: str
    d: int
    sizes: tuple[int, int]
    is_own: bool
    got: Coverage
    sd: float
    bias: float | None

    @property
    def mark(self) -> str:
        """Whether it is as it should be."""
        if not self.got.given:
            return ""
        if self.got.share > MOST:
            return "=" if self.sd == 0 else ">"
        return "<" if self.got.share < LEAST else ""

    def text(self) -> str:
        """As a line of the table."""
        bias = "" if self.bias is None else f"{self.bias:.4g}"
        size = str(self.sizes[0]) if self.sizes[0] == self.sizes[1] else "x".join(map(str, self.sizes))
        where = f"{self.key:<20}{self.law:<9}{self.d:>3}{size:>10}{'own' if self.is_own else 'limit':>7}"
        got = self.got
        told = f"{got.target:>11.4g}{got.mean:>11.4g}{self.sd:>10.3g}{got.width:>10.3g}{bias:>11}"
        return f"{where}{told}{got.given / got.sets:>7.2f}{got.share:>7.3f} {self.mark}".rstrip()


def lines(found: Found, big: Big) -> list[Line]:
    """The table, sorted by metric."""
    keys = dict.fromkeys(key for numbers in found.values() for key in numbers)
    return [
        _line(key, cell, numbers[key], big[cell[:2]].get(key))
        for key in keys
        for cell, numbers in found.items()
    ]


def _line(
    key: str, cell: tuple[str, int, tuple[int, int]], numbers: list[Number], large: list[Number] | None
) -> Line:
    values = np.array([number.value for number in numbers])
    limit = None if large is None else float(np.mean([number.value for number in large]))
    is_own = key.partition(".")[0] in OWN_MEAN
    got = coverage(numbers, None if is_own else limit)
    sd = float(values.std()) if len(set(values)) > 1 else 0.0
    return Line(key, *cell, is_own, got, sd, None if limit is None else float(values.mean()) - limit)


def markdown(found: list[Line]) -> str:
    """Of every key: least and largest shares of the laws, bias of the first law, means that depend on N by design."""
    cells = sorted({(line.sizes, line.d) for line in found})
    sizes, dims = (sorted(set(each)) for each in zip(*cells, strict=True))
    first = found[0].law
    at = {(line.key, line.law, line.sizes, line.d): line for line in found}
    keys = list(dict.fromkeys(line.key for line in found))
    laws = list(dict.fromkeys(line.law for line in found))
    by_size = [f"N = {size[0]:,}: d = {d}" if d == dims[0] else str(d) for size, d in cells]

    def shares(key: str, cell: tuple[tuple[int, int], int]) -> str:
        here = [at[key, law, *cell] for law in laws]
        told = sorted(line.got.share for line in here if line.got.given and line.mark != "=")
        without = sum(not line.got.given for line in here)
        same = sum(line.mark == "=" for line in here)
        span = "–".join(dict.fromkeys(f"{share:.2f}" for share in (told[0], told[-1]))) if told else ""
        notes = [f"{without} withheld"] * bool(without) + [f"{same} the same always"] * bool(same)
        return f"{span} ({', '.join(notes)})".strip() if notes else span

    def bias(key: str, cell: tuple[tuple[int, int], int]) -> str:
        return f"{at[key, first, *cell].bias:+.2g}"

    def means(key: str, d: int) -> str:
        return " → ".join(f"{at[key, first, size, d].got.mean:.3g}" for size in sizes)

    own = [key for key in keys if at[key, first, *cells[0]].is_own and not key.startswith("classifier")]
    told = [
        _table(["key", *by_size], [[f"`{key}`", *(shares(key, cell) for cell in cells)] for key in keys]),
        _table(
            ["key", *by_size],
            [[f"`{key}`", *(bias(key, cell) for cell in cells)] for key in keys if key not in own],
        ),
        _table(
            ["key", f"d = {dims[0]}", *map(str, dims[1:])],
            [[f"`{key}`", *(means(key, d) for d in dims)] for key in own],
        ),
    ]
    return "\n".join(told)


def _table(head: list[str], rows: list[list[str]]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, *rows)).replace(
        "\n", "\n" + "|---" * len(head) + "|\n", 1
    )


def table(seeds: range, draws: int, found: Found, big: Big) -> str:
    """The table under a line that says what it is of."""
    head = (
        f"{len(seeds)} data sets per line, seeds {seeds.start} to {seeds.stop - 1}; {draws} draws of {BIG} samples a "
        "side; nominal 0.95"
    )
    columns = (
        f"{'metric':<20}{'law':<9}{'d':>3}{'N':>10}{'target':>7}{'at':>11}{'mean':>11}{'sd':>10}{'width':>10}"
        f"{'bias':>11}{'given':>7}{'cover':>7}"
    )
    return "\n".join([head, columns, *(line.text() for line in lines(found, big))]) + "\n"


def parse() -> argparse.Namespace:
    def words(text: str) -> tuple[str, ...]:
        return tuple(word for word in text.split(",") if word)

    def size(text: str) -> tuple[int, int]:
        n, _, m = text.partition("x")
        return int(n), int(m or n)

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", type=int, default=100, help="data sets per cell")
    parser.add_argument("--seed", type=int, default=0, help="of the first data set")
    parser.add_argument("--laws", type=words, default=("shifted", "dropped", "heavy"))
    parser.add_argument("--dims", type=lambda text: tuple(map(int, words(text))), default=(2, 8, 64))
    parser.add_argument(
        "--sizes", type=lambda text: tuple(map(size, words(text))), default=((500, 500), (2000, 2000))
    )
    parser.add_argument("--metrics", type=words, default=(), help="member names, default all")
    parser.add_argument(
        "--big", type=int, default=5, help="draws of 10,000 samples a side per law and dimension"
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="processes, default one per core"
    )
    parser.add_argument("--write", type=Path, default=ROOT / "benchmarks" / "interval_coverage.txt")
    parser.add_argument("--markdown", type=Path, help="the tables of docs/measures.md")
    chosen = parser.parse_args()
    if set(chosen.laws) - set(LAWS):
        parser.error(f"laws are {', '.join(LAWS)}")
    return chosen


def main() -> None:
    chosen = parse()
    cells = [(law, d, sizes) for law in chosen.laws for d in chosen.dims for sizes in chosen.sizes]
    seeds = range(chosen.seed, chosen.seed + chosen.sets)
    jobs: list[Job] = [
        (law, d, (BIG, BIG), at, chosen.metrics, True)
        for law in chosen.laws
        for d in chosen.dims
        for at in range(chosen.big)
    ]
    first = len(jobs)
    # Seed by seed, so that what is written meanwhile has as many data sets in every line.
    jobs += [(*cell, seed, chosen.metrics, False) for seed in seeds for cell in cells]
    found: Found = {cell: defaultdict(list) for cell in cells}
    big: Big = defaultdict(lambda: defaultdict(list))
    began, text = time.monotonic(), ""
    with ProcessPoolExecutor(chosen.jobs, mp_context=get_context("spawn")) as pool:
        for done, (job, numbers) in enumerate(zip(jobs, pool.map(work, jobs, chunksize=1), strict=True), 1):
            law, d, sizes, seed, _, large = job
            for key, number in numbers.items():
                (big[law, d] if large else found[law, d, sizes])[key].append(number)
            if done > first and (done - first) % len(cells) == 0:
                took = f"{time.monotonic() - began:.0f} s with {chosen.jobs} processes"
                text = table(range(chosen.seed, seed + 1), chosen.big, found, big)
                chosen.write.write_text(text, encoding="utf-8")
                print(f"data set {seed} done, {took}", file=sys.stderr, flush=True)
    if chosen.markdown:
        chosen.markdown.write_text(markdown(lines(found, big)), encoding="utf-8")
    print(text, end="")


if __name__ == "__main__":
    main()
