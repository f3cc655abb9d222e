"""The model of table 6.1 in small: points are measured as the thesis measures, and the nearest are kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from benchmarks.table_61_model import PRINTED_BUDGET, PRINTED_PRECISION, Point, main, mode_means
from trainables.datasets.gaussians25 import Gaussians25
from trainables.randomness import Noise, Stream
from trainables.safetensors import read_tensors
from trainables.samplers.keeping import CARD
from trainables.samplers.sampler import Sampler
from trainables.studies.half_files import widened


def test_samples_of_the_law_itself_have_the_share_of_three_sigma() -> None:
    law = Gaussians25().source().law
    assert law is not None
    x = law.draw(Noise(torch.tensor([0])), Stream.UNSEEN, 0, 25_600)[0]
    precision, recall, held = mode_means(law, x)
    assert precision == pytest.approx(
        1 - 0.011109, abs=0.004
    )  # e^{-9/2} of a Gaussian in the plane is further out
    assert (recall, held) == (1.0, 1.0)
    with pytest.raises(ValueError, match="at least 2500 points"):
        mode_means(law, x[:100])


def test_a_missed_mode_outweighs_precision() -> None:
    def point(precision: float, recall: float) -> Point:
        return Point(0, 1, "average", precision, recall, recall, 1, 1, 1, 0.4, 1)

    assert point(PRINTED_PRECISION + 0.02, 1.0).gap() < point(PRINTED_PRECISION, 0.96).gap()


@pytest.mark.slow
def test_the_quick_study_writes_its_table_and_files_that_sample(tmp_path: Path) -> None:
    main([str(tmp_path), "--quick", "--device", "cpu", "--files", "2"])
    told = json.loads((tmp_path / "table.json").read_text())
    assert len(told["points"]) == 3 * 2 * 2  # points, seeds, averaged and live
    named = {point["file"] for point in told["points"]} - {None}
    files = sorted(path.name for path in tmp_path.glob("*.safetensors"))
    assert files == sorted([*named, "nearest-half.safetensors"])
    assert len(named) == 2
    path = tmp_path / told["nearest"]
    again = tmp_path / "again"
    main([str(again), "--quick", "--device", "cpu", "--on", str(path)])
    (point,) = json.loads((again / "table.json").read_text())["points"]
    assert point["precision"] == pytest.approx(
        next(p["precision"] for p in told["points"] if p["file"] == path.name), abs=0.03
    )
    nearest = (tmp_path / "nearest-half.safetensors").read_bytes()
    assert len(nearest) < (tmp_path / told["nearest"]).stat().st_size
    tensors, texts = read_tensors(widened(nearest))
    sampler = Sampler(json.loads(texts[CARD]), tensors)
    law = Gaussians25().source().law
    assert law is not None
    best = next(point for point in told["points"] if point["file"] == told["nearest"])
    for budget, key in ((1.0, "precision"), (PRINTED_BUDGET, "refined_precision")):
        drawn = torch.from_numpy(sampler.draw(5000, budget=budget).samples)
        assert mode_means(law, drawn)[0] == pytest.approx(best[key], abs=0.04)
