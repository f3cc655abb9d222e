"""Findings are plain data: they travel between processes, and nobody needs torch to hold them."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np

from trainables.evaluation.findings import EstimatedCurve, Findings, Side, Witnesses


def test_findings_travel_between_processes() -> None:
    side = Side(0.25, np.array([2.0]), np.zeros((1, 2)))
    one = np.ones(3)
    sent = Findings(
        Witnesses(side, side, "identity", 3), (EstimatedCurve("prd", "PRD", "", one, one, one),), ("x",)
    )
    came = pickle.loads(pickle.dumps(sent))
    assert came.witnesses.outside.share == 0.25
    assert came.curves[0].error is None
    assert came.left_out == ("x",)


def test_they_are_held_without_torch() -> None:
    code = "import sys, trainables.evaluation.findings; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
