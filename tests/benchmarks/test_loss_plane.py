"""The landscape of figure 6.14 in small: grids are complete, and what is shown belongs to them."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from benchmarks.loss_plane import SHOWN, main
from explorer.reproduce.thesis_plane import Landscape, landscape_panels


@pytest.mark.slow
def test_the_quick_study_writes_grids_and_samples(tmp_path: Path) -> None:
    main([str(tmp_path), "--quick", "--device", "cpu", "--blurs", "0.3", "--low", "-1", "--high", "1"])
    grids, shown = np.load(tmp_path / "plane.npz"), np.load(tmp_path / "samples.npz")
    told = json.loads((tmp_path / "plane.json").read_text())
    budgets, side = grids["budgets"].tolist(), len(grids["axis"])
    assert budgets == told["budgets"] == [1, 2, 5]
    for name in ("dual", "error", "primal", "first", "rate"):
        assert grids[name].shape == (3, side, side)
        assert np.isfinite(grids[name]).all()
        np.testing.assert_allclose(np.array(told[name]), grids[name], atol=1e-6)
    assert (grids["dual"] < 0).all()
    assert (grids["dual"] > -math.log(4) - 5 * grids["error"]).all()
    for at, budget in enumerate(budgets):
        assert tuple(shown[f"lowest_{budget:g}_at"]) == np.unravel_index(
            grids["dual"][at].argmin(), (side, side)
        )
        draws, kept = shown[f"highest_{budget:g}"], shown[f"highest_{budget:g}_kept"]
        assert (draws.dtype, len(draws), kept.shape) == (np.uint8, SHOWN, (SHOWN,))
        assert kept.mean() == pytest.approx(1 / budget, abs=0.25)
    assert set(told["relief"]) == {f"{name} K={k}" for name in ("dual", "primal") for k in (1, 2, 5)}
    assert not math.isnan(told["relief"]["dual K=1"]["barrier"])
    landscape, samples = landscape_panels([Landscape.read(tmp_path)])  # as figure 6.14 draws it
    np.testing.assert_allclose(np.array(landscape.figure.data[0].z), grids["dual"][0].T, atol=1e-5)
    assert len(samples.figure.layout.images) == 6
