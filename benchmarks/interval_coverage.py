"""How often intervals hold what they are about: metric × law × dimension × number of samples.

    python benchmarks/interval_coverage.py [--sets 100] [--seed 0] [--laws shifted,dropped,heavy] [--dims 2,8,64]
        [--sizes 500,2000] [--jobs 2] [--metrics …] [--write benchmarks/interval_coverage.txt]

Laws are those of tests/interval_coverage.py, also ``equal`` and ``apart``; a size 400x1200 has 400 real and 1,200
generated samples. The target is the mean of ``--big`` draws of 10,000 samples a side for what does not depend on the
number of samples by design (``limit``), else the mean of the values at that number (``own``). Printed per line:

- cover: share of the given intervals that hold the target; given: share of data sets that have an interval;
- width: their mean width; sd: of the values; bias: mean value less the value at 10,000 samples.

A line outside 0.90 to 0.99 is marked: < below, > above. The file is written after every data set of all cells.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
import torch

from tests.interval_coverage import LAWS, OWN_MEAN, Number, coverage, measured
from trainables.metrics import Metric, every_metric

ROOT = Path(__file__).parents[1]
BIG = 10_000
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


def lines(found: Found, big: Big) -> Iterator[str]:
    """The table, sorted by metric."""
    yield (
        f"{'metric':<20}{'law':<9}{'d':>3}{'N':>10}{'target':>7}{'at':>11}{'mean':>11}{'sd':>10}{'width':>10}"
        f"{'bias':>11}{'given':>7}{'cover':>7}"
    )
    keys = list(dict.fromkeys(key for numbers in found.values() for key in numbers))
    for key in keys:
        for (law, d, sizes), numbers in found.items():
            values = np.array([number.value for number in numbers[key]])
            large = big[law, d].get(key)
            limit = None if large is None else float(np.mean([number.value for number in large]))
            own = key.partition(".")[0] in OWN_MEAN
            got = coverage(numbers[key], None if own else limit)
            mark = "" if not got.given else " <" if got.share < 0.9 else " >" if got.share > 0.99 else ""
            bias = "" if limit is None else f"{values.mean() - limit:.4g}"
            size = str(sizes[0]) if sizes[0] == sizes[1] else "x".join(map(str, sizes))
            where = f"{key:<20}{law:<9}{d:>3}{size:>10}{'own' if own else 'limit':>7}"
            told = f"{got.target:>11.4g}{got.mean:>11.4g}{values.std():>10.3g}{got.width:>10.3g}{bias:>11}"
            yield f"{where}{told}{got.given / got.sets:>7.2f}{got.share:>7.2f}{mark}"


def table(seeds: range, draws: int, found: Found, big: Big) -> str:
    """The table under a line that says what it is of."""
    head = (
        f"{len(seeds)} data sets per line, seeds {seeds.start} to {seeds.stop - 1}; {draws} draws of {BIG} samples a "
        "side; nominal 0.95"
    )
    return "\n".join([head, *lines(found, big)]) + "\n"


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
    print(text, end="")


if __name__ == "__main__":
    main()
