"""Names of classifiers: all that can be asked for, the default first, and nothing is loaded by naming them."""

from __future__ import annotations

import subprocess
import sys

from trainables.metrics.learners import LEARNERS


def test_the_default_stands_first_and_every_name_stands_once() -> None:
    assert LEARNERS[0] == "ensemble"
    assert {"logistic", "mlp", "knn"} < set(LEARNERS)
    assert len(set(LEARNERS)) == len(LEARNERS)


def test_naming_them_loads_neither_torch_nor_scikit_learn() -> None:
    code = "import sys, trainables.metrics.learners; sys.exit(bool({'torch', 'sklearn'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
