"""The landscape of figure 6.14: what is stored is drawn, numbers and captions are its own, and a part is refused."""

from __future__ import annotations

import json
import shutil
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from explorer.reproduce.thesis_plane import BLURS, Landscape, landscape_panels
from tests.explorer.reproduce.built import built

STORED = Path(str(files("explorer.reproduce"))) / "data" / "loss_plane"


def test_landscapes_are_those_that_are_stored() -> None:
    panels = built("thesis-6.14")
    assert len(panels) == len(BLURS) + 1
    for panel, blur in zip(panels, BLURS, strict=False):
        told = json.loads((STORED / f"plane-blur-{blur:g}.json").read_text())
        surfaces = [t for t in panel.figure.data if t.type == "contour"]
        assert len(surfaces) == len(told["budgets"]) == 3
        for surface, loss in zip(surfaces, told["dual"], strict=True):
            np.testing.assert_allclose(
                np.array(surface.z), np.array(loss).T, atol=1e-5
            )  # x is the first index
        for number, loss in zip(panel.numbers, told["dual"], strict=True):
            assert number.computed == ", ".join(f"{f(loss):.3f}" for f in (np.min, np.mean, np.max))


def test_rejection_lowers_the_loss_and_flattens_the_basin_where_laws_have_densities() -> None:
    one = Landscape.read(STORED, "-blur-0.3")
    assert (one.dual[1:].mean((1, 2)) < one.dual[0].mean() - 3 * one.error.max()).all()
    x, y = np.meshgrid(one.axis, one.axis, indexing="ij")
    basin = one.dual[:, (x > 0) & (y > 0) & (x + y < 1)]
    assert (np.diff(np.ptp(basin, axis=1)) < 0).all()
    assert "0.12, 0.12, 0.08 in the triangle" in built("thesis-6.14")[0].caption


def test_samples_are_framed_at_the_lowest_and_the_highest_loss() -> None:
    figure = built("thesis-6.14")[-1].figure
    assert len(figure.layout.images) == 6
    titles = [note.text for note in figure.layout.annotations]
    one = Landscape.read(STORED, "-blur-0.3")
    for at, budget in enumerate(one.budgets):
        x, y = (one.axis[i] for i in np.unravel_index(one.dual[at].argmin(), one.dual[at].shape))
        assert titles[at] == f"lowest loss at K = {budget:g}, at ({x:.1f}, {y:.1f})"


def test_an_incomplete_landscape_is_refused(tmp_path: Path) -> None:
    told = json.loads((STORED / "plane-blur-0.json").read_text())
    told["dual"][0][0][0] = None
    (tmp_path / "plane.json").write_text(json.dumps(told))
    shutil.copy(STORED / "samples-blur-0.npz", tmp_path / "samples.npz")
    with pytest.raises(ValueError, match="must be complete"):
        Landscape.read(tmp_path)


def test_one_landscape_alone_has_a_whole_caption() -> None:
    first, samples = landscape_panels([Landscape.read(STORED, "-blur-0")])
    assert "images as they are" in first.caption
    assert "benchmarks/loss_plane.py" in first.caption
    assert "draws of the generators" in samples.caption
