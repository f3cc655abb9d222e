"""The table of budgets: every number is there, however narrow the terminal is."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.explorer.cli.running import ran
from tests.explorer.refining.stored_trials import LAM, RING, stored, trial_of


def test_no_number_is_cut_on_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    uri = stored()
    trial = trial_of(uri, RING, **{"objective.name": "pr", LAM: 1.0, "training.generator_lr": 0.001})
    asked = (
        trial.id,
        "--budgets",
        "1,2,3,4,5,6,7,8,9",
        "--samples",
        50,
        "--tracking-uri",
        uri,
        "--no-log",
    )
    wide = ran("refine", *asked, "--seed", 1).out
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    narrow = re.sub(r"\x1b\[[0-9;]*m", "", ran("refine", *asked, "--seed", 1).out)
    assert max(map(len, narrow.splitlines())) <= 60
    assert "…" not in narrow
    heads = [line for line in narrow.splitlines() if "K = " in line and "samples" not in line]
    assert len(heads) > 1
    assert re.findall("K = [0-9]", " ".join(heads)) == [f"K = {budget}" for budget in range(1, 10)]
    for title in ("Precision", "FID", "calls of G"):
        own = [line.split(title)[1].split() for line in narrow.splitlines() if title in line]
        (same,) = (line.split(title)[1].split() for line in wide.splitlines() if title in line)
        assert [value for part in own for value in part] == same


def test_samples_are_counted_where_draws_come_to_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    points = rng.normal(size=(600, 2)).astype(np.float32)
    np.savez("scored.npz", samples=points, scores=points[:, 0], real_scores=rng.normal(1, 1, 400))
    np.savez("real.npz", samples=rng.normal((1, 0), 1, size=(800, 2)).astype(np.float32))
    out = ran("refine", "scored.npz", "--real", "real.npz", "--budgets", "2", "--samples", 400).out
    (counts,) = re.findall(r"^ *samples +([0-9]+) +([0-9]+) *$", out, flags=re.MULTILINE)
    assert counts[0] == "400"
    assert 230 < int(counts[1]) < 370, "as many as 600 draws give"
    assert "400 samples at every K" not in out
