"""Mangled inputs through ``tradeoff measure``: how many are refused well, and every one that is not.

A case is refused well as in ``forked_runs.py``, and if nothing that its files hold was executed. With ``--cold``
each case is a command of its own, imports included, and only refusals count; else a process forked after them.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from forked_runs import Ended, report, run_forked

from tests.explorer.measure.mangled import EXECUTED, mangled_measures


def measures(seed: int, count: int, cold: bool) -> Iterable[Ended]:
    """The cases of a seed, each with files of its own."""
    with tempfile.TemporaryDirectory() as temporary:
        os.environ["TRADEOFF_HOME"] = str(Path(temporary) / "home")
        for case in mangled_measures(seed, count, Path(temporary)):
            ended = run_forked(case.name, case.arguments, case.folder, cold)
            if (case.folder / EXECUTED).exists():
                ended = replace(ended, code=1, told="what the file holds was executed")
            if not (cold and ended.code == 0):  # a measurement that is made takes its time
                yield ended


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cold", action="store_true")
    chosen = parser.parse_args()
    # Threads do not survive a fork, so the parent starts none.
    os.environ["OMP_NUM_THREADS"] = "1"
    for module in (
        "PIL.Image",
        "rich.console",
        "torch",
        "explorer.measure",
        "trainables.measures",
        "trainables.features.inception",
    ):
        import_module(module)
    what = f"tradeoff measure, seed {chosen.seed}, {'cold' if chosen.cold else 'warm'}"
    return min(1, report(what, measures(chosen.seed, chosen.cases, chosen.cold)))


if __name__ == "__main__":
    sys.exit(main())
