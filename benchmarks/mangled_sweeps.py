"""Mangled sweep files and options through ``tradeoff sweep --dry-run`` and ``tradeoff theory``: which are refused well.

What is refused well is told in ``forked_runs.py``. Each case runs the whole command in a process forked after the
imports, which are reported by themselves.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from forked_runs import Ended, report, run_forked

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


def theories(seed: int, count: int) -> Iterable[Ended]:
    """Options of ``tradeoff theory``."""
    with tempfile.TemporaryDirectory() as folder:
        for options in mangled_theory(seed, count):
            yield run_forked(str([part[:40] for part in options]), ["theory", *options], Path(folder))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
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
    wrong = report(f"tradeoff sweep, seed {chosen.seed}", sweeps(chosen.seed, chosen.cases))
    started = time.process_time()
    from explorer.theory import compare
    from explorer.theory.page import comparison_page

    comparison_page(compare([0.5, 0.5], [0.5, 0.5]))
    print(f"imports of theory: {time.process_time() - started:.1f} s, not counted below")
    wrong += report(f"tradeoff theory, seed {chosen.seed}", theories(chosen.seed, chosen.theory_cases))
    return min(1, wrong)


if __name__ == "__main__":
    sys.exit(main())
