"""The model that comes along: it is packaged, is the thesis' network, and is about as good as what is printed."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
import torch

from trainables.safetensors import tensor_bytes
from trainables.studies.gaussians25_gan import gaussians25_gan, gaussians25_law, trained_of

ROOT = Path(__file__).parents[3]


def test_its_baseline_is_about_the_printed_one() -> None:
    law = gaussians25_law()
    points = gaussians25_gan().sampler.draw(10_000, seed=3).samples
    modes = law.modes(torch.from_numpy(points))
    assert modes is not None
    assert float(modes.near.double().mean()) == pytest.approx(0.558, abs=0.02)
    assert set(modes.nearest[modes.near].tolist()) == set(range(25))


def test_what_comes_along_is_packaged_and_small() -> None:
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for package, patterns in told["tool"]["setuptools"]["package-data"].items():
        packaged = {path for pattern in patterns for path in (ROOT / package).glob(pattern)}
        held = {
            path
            for ending in ("safetensors", "npz", "json", "yaml")
            for path in (ROOT / package).rglob(f"*.{ending}")
        }
        assert held <= packaged
        assert sum(path.stat().st_size for path in packaged if path.suffix == ".safetensors") < 3 << 20


def test_another_file_is_refused() -> None:
    with pytest.raises(ValueError, match="a sampler's file has a text 'tradeoff'"):
        trained_of(tensor_bytes({}, {"format": "pt"}))
