"""Every reading command over many hostile stores; prints the violations, and how many there were.

    python benchmarks/hostile_stores.py --cases 400 --seed 1 [--pages 4]

A command may end with code 0, or, where MLflow itself cannot read the store or the sweep's name is gone, with 2 and one
short sentence. It may never show a traceback, and nothing of a store may run: not in the report,
not in the page, not in the terminal. ``--pages N`` looks at the app's page for every N-th case (0: never).
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.hostile_commands import Hostile
from tests.hostile_stores import good_store


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first case, to see one again")
    parser.add_argument("--pages", type=int, default=4)
    chosen = parser.parse_args()
    codes: Counter[str] = Counter()
    bad, began, slowest = 0, time.monotonic(), (0.0, 0)
    with TemporaryDirectory() as scratch:
        good = good_store(Path(scratch) / "good")
        os.environ["TRADEOFF_HOME"] = str(Path(scratch) / "home")
        hostile = Hostile(good, Path(scratch))
        for case in range(chosen.first, chosen.first + chosen.cases):
            start = time.monotonic()
            with_page = bool(chosen.pages) and case % chosen.pages == 0
            mutations, outcomes = hostile.run(1_000_003 * chosen.seed + case, with_page)
            slowest = max(slowest, (time.monotonic() - start, case))
            codes.update(str(outcome.code) for outcome in outcomes)
            for outcome in outcomes:
                if outcome.violation:
                    bad += 1
                    told = "; ".join(mutation.words for mutation in mutations)
                    print(f"case {case}: {outcome.command}: {outcome.violation}\n    {told}", flush=True)
    took = time.monotonic() - began
    print(
        f"{chosen.cases} stores, seed {chosen.seed}: {sum(codes.values())} commands, by exit code {dict(codes)}"
    )
    print(f"{bad} violations; {took:.0f} s, the slowest store {slowest[0]:.1f} s (case {slowest[1]})")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
