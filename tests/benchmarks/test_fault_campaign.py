"""A short campaign: a worker killed, an evaluation that raises, the driver killed and the newest checkpoint damaged."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "fault_campaign.py"
KINDS = ("worker", "raise", "checkpoint")


@pytest.mark.cluster
@pytest.mark.timeout(600)
def test_faults_at_random_moments_lose_nothing() -> None:
    seed = os.environ.get("FAULT_SEED", str(random.SystemRandom().randrange(10**6)))
    print(f"FAULT_SEED={seed}")
    command = [sys.executable, str(SCRIPT), "--searches", "tpe", "--kinds", *KINDS, "--each", "1", "--json"]
    ran = subprocess.run(
        [*command, "--seed", seed, "--trials", "6", "--iterations", "160", "--latest", "14"],
        stdout=subprocess.PIPE,
        text=True,
        timeout=580,
    )
    told = json.loads(ran.stdout)
    assert told["wrong"] == []
    assert told["faults"] == len(KINDS)
    assert told["searches"]["tpe"]["struck"] == dict.fromkeys(KINDS, 1)
    assert ran.returncode == 0
