"""Mangled sweep files and options through ``tradeoff sweep --dry-run`` and ``tradeoff theory``: which are refused well.

Before them come sweep files that are broken for sure (``--broken-cases``), in this process: counts by kind, and every
one that is not refused in one sentence.

What is refused well is told in ``forked_runs.py``. Each case runs the whole command in a process forked after the
imports, which are reported by themselves.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from forked_runs import Ended, report, run_forked

from tests.explorer.broken_sweeps import broken_sweeps, fault_of
from tests.explorer.mangled_sweeps import mangled_sweeps
from tests.explorer.mangled_theory import mangled_theory


def sweeps(seed: int, count: int) -> Iterable[Ended]:
    """The cases of a seed, each with a file of its own."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        os.environ["TRADEOFF_HOME"] = str(folder / "home")
        for case in mangled_sweeps(seed, count):
            (folder / "mangled.yaml").write_bytes(case.file)
            yield run_forked(case.name, ["sweep", "mangled.yaml", "--dry-run", *case.options], folder)


def broken(seed: int, count: int) -> int:
    """How many files that no sweep can be are not refused well; each is printed."""
    from explorer.launch import run

    def begun(*_: object) -> None:
        raise AssertionError("a broken sweep was begun")

    launch, run.run_sweep = run.run_sweep, begun
    kinds: Counter[str] = Counter()
    wrong, started = 0, time.process_time()
    try:
        with tempfile.TemporaryDirectory() as home:
            os.environ["TRADEOFF_HOME"] = home
            for case in broken_sweeps(seed, count):
                kinds[case.kind] += 1
                with tempfile.TemporaryDirectory() as folder:
                    fault = fault_of(case, Path(folder), whole=kinds[case.kind] % 50 == 1)
                if fault is not None:
                    wrong += 1
                    print(f"  {case.name}: {fault}")
    finally:
        run.run_sweep = launch
    for kind, cases in sorted(kinds.items()):
        print(f"  {cases:6,}  {kind}")
    seconds = time.process_time() - started
    print(
        f"broken sweep files, seed {seed}: {count:,} cases, {wrong} not refused well, {seconds:.0f} s of CPU"
    )
    return wrong


def theories(seed: int, count: int) -> Iterable[Ended]:
    """Options of ``tradeoff theory``."""
    with tempfile.TemporaryDirectory() as folder:
        for options in mangled_theory(seed, count):
            yield run_forked(str([part[:40] for part in options]), ["theory", *options], Path(folder))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--broken-cases", type=int, default=3000)
    parser.add_argument("--theory-cases", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    os.environ.pop("MLFLOW_TRACKING_URI", None)
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # threads do not survive a fork
    started = time.process_time()
    from explorer.launch.earlier import Earlier
    from explorer.launch.plan import make_plan
    from explorer.sweep import load_sweep

    make_plan(load_sweep("digits-gan"), Earlier())  # one with a constraint, which is looked at with torch
    print(f"imports: {time.process_time() - started:.1f} s, not counted below")
    wrong = broken(chosen.seed, chosen.broken_cases)
    wrong += report(f"tradeoff sweep, seed {chosen.seed}", sweeps(chosen.seed, chosen.cases))
    started = time.process_time()
    from explorer.theory import compare
    from explorer.theory.page import comparison_page

    comparison_page(compare([0.5, 0.5], [0.5, 0.5]))
    print(f"imports of theory: {time.process_time() - started:.1f} s, not counted below")
    wrong += report(f"tradeoff theory, seed {chosen.seed}", theories(chosen.seed, chosen.theory_cases))
    return min(1, wrong)


if __name__ == "__main__":
    sys.exit(main())
