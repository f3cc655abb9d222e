"""The real side is drawn once, embedded once, and its own best match."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest
import torch
from torch import Tensor

from tests.trainables.evaluation.images import SmallDigits
from trainables.datasets.gaussians8 import Gaussians8
from trainables.evaluation.real_side import RealSide, real_side
from trainables.evaluation.settings import EvaluationConfig
from trainables.extractors import FeatureExtractor
from trainables.extractors.classifier import OwnClassifier
from trainables.extractors.identity import Identity
from trainables.features.extractor import Extractor
from trainables.metrics import everyday_metrics
from trainables.metrics.frechet import Frechet
from trainables.metrics.kernel import Kernel
from trainables.metrics.neighbours import Neighbours
from trainables.metrics.pair import Pair
from trainables.metrics.pr_cover import PRCover
from trainables.sources.array_source import ArraySource

SAMPLES = 300


def test_real_points_are_drawn_once_and_shared() -> None:
    real = real_side(Gaussians8(), Identity(), SAMPLES)
    assert real_side(Gaussians8(), Identity(), SAMPLES) is real
    assert real_side(Gaussians8(), Identity(), SAMPLES + 1) is not real
    assert real.points.shape == real.features.shape == (SAMPLES, 2)
    (perfect,) = real.measure(EvaluationConfig(samples=SAMPLES), [real.points])
    assert isinstance(perfect, dict)
    assert (perfect["precision"], perfect["recall"], perfect["coverage"]) == (1.0, 1.0, 1.0)
    assert perfect["fid"] == pytest.approx(0.0, abs=1e-5)


def test_only_what_is_chosen_is_measured() -> None:
    real = real_side(Gaussians8(), Identity(), SAMPLES)
    chosen = EvaluationConfig(samples=SAMPLES, metrics=(Frechet(), PRCover()))
    (found,) = real.measure(chosen, [real.points])
    assert isinstance(found, dict)
    assert set(found) == {"fid", "pr_cover.precision", "pr_cover.recall"}


def test_a_number_does_not_depend_on_what_else_is_measured() -> None:
    real = RealSide(Gaussians8().source(), Identity(), SAMPLES)
    fake = real.points.flip(0) + 0.3
    (alone,) = real.measure(EvaluationConfig(samples=SAMPLES, metrics=(Neighbours(),)), [fake])
    (both,) = real.measure(EvaluationConfig(samples=SAMPLES, metrics=(PRCover(), Neighbours())), [fake])
    assert isinstance(alone, dict)
    assert isinstance(both, dict)
    for key, value in alone.items():
        assert both[key] == value


@dataclass(frozen=True)
class Brightness(FeatureExtractor):
    """Mean and greatest pixel of images in 0…255."""

    name: ClassVar[str] = "brightness"

    def build(self, samples: Tensor, labels: Tensor | None, cache: Path) -> Extractor:
        assert float(samples.min()) >= 0
        assert float(samples.max()) <= 1

        def forward(x: Tensor) -> tuple[Tensor, None]:
            return torch.stack((x.flatten(1).mean(1), x.flatten(1).amax(1)), dim=1), None

        return Extractor("brightness", "brightness-1", lambda x: x, forward, "mean and greatest pixel")


def test_images_are_scaled_from_their_span() -> None:
    x = 2 * torch.rand(50, 1, 3, 3, generator=torch.Generator().manual_seed(0)) - 1
    real = RealSide(ArraySource(x, span=(-1.0, 1.0)), Brightness(), 10)
    assert real.features.shape == (10, 2)
    expected = 255 * (real.points.flatten(1).mean(1) + 1) / 2
    torch.testing.assert_close(real.features[:, 0], expected, rtol=1e-4, atol=1e-3)
    # A generator may overshoot black and white.
    wild = real.embed(torch.full((2, 1, 3, 3), 7.0))
    torch.testing.assert_close(wild.values, torch.full((2, 2), 255.0))


def test_points_are_left_as_they_are() -> None:
    x = 100 * torch.randn(50, 2, generator=torch.Generator().manual_seed(0))
    real = RealSide(ArraySource(x), Identity(), 10)
    assert torch.equal(real.features, real.points)


def test_sets_are_measured_together_as_each_alone() -> None:
    real = RealSide(Gaussians8().source(), Identity(), SAMPLES)
    generator = torch.Generator().manual_seed(0)
    # Sizes of their own, copies of real points, and a set that cannot be measured among them.
    sets = [torch.randn(n, 2, generator=generator) * 3 for n in (200, 150, 200, 150, 80)]
    sets[2][:20] = real.points[:20]
    sets[3][0] = torch.nan
    evaluation = EvaluationConfig(samples=SAMPLES, metrics=(*everyday_metrics(), PRCover(), Kernel(block=50)))
    together = real.measure(evaluation, sets)
    assert isinstance(together[3], ValueError)
    assert "features 'identity' of generated samples are not finite" in str(together[3])
    for index in (0, 1, 2, 4):
        pair = Pair(real.features, sets[index], k=evaluation.k, orders=(3, 9), law=real.source.law)
        alone = {k: v for metric in evaluation.chosen() for k, v in metric.measure(pair).values.items()}
        assert together[index] == pytest.approx(alone, rel=1e-9, abs=1e-9)


def test_nothing_to_measure() -> None:
    assert RealSide(Gaussians8().source(), Identity(), 50).measure(EvaluationConfig(samples=50), []) == []


@pytest.fixture(scope="module")
def digits_side(learnt: Path) -> RealSide:
    """The real side of digits in their own classifier."""
    return RealSide(SmallDigits().source(), OwnClassifier(), 300)


def test_the_classifier_learns_from_the_training_part(digits_side: RealSide) -> None:
    assert digits_side.logits is not None
    assert digits_side.labels is not None
    right = digits_side.logits.argmax(1) == digits_side.labels
    assert float(right.double().mean()) > 0.93, "of samples that it has not seen"


def test_other_processes_read_what_one_computed(
    digits_side: RealSide, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluation = EvaluationConfig(samples=300, features=OwnClassifier())
    fake = digits_side.points.flip(0)
    (first,) = digits_side.measure(evaluation, [fake])
    assert isinstance(first, dict)
    assert first["class_coverage"] == 1.0
    assert first["precision"] == 1.0
    for name in ("features.classifier.trained_classifier", "measures.knn.neighbours.radii_of"):
        monkeypatch.setattr(f"trainables.{name}", None)  # none of this is done again
    again = RealSide(SmallDigits().source(), OwnClassifier(), 300)
    monkeypatch.setattr(again, "_embedded", None)
    assert torch.equal(again.features, digits_side.features)
    (second,) = again.measure(evaluation, [fake])
    assert second == pytest.approx(first, rel=1e-9, abs=1e-9)


def test_points_are_not_kept_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    real = RealSide(Gaussians8().source(), Identity(), 50)
    real.measure(EvaluationConfig(samples=50), [real.points])
    assert not list(tmp_path.iterdir())


def test_intervals_come_with_final_readings_that_ask_for_them() -> None:
    real = RealSide(Gaussians8().source(), Identity(), SAMPLES)
    fake = 1.1 * Gaussians8().source().reference(2 * SAMPLES).x[SAMPLES:] + 0.05
    asked = EvaluationConfig(samples=SAMPLES, intervals=True)
    (plain,), (ends,) = real.measure(asked, [fake]), real.measure(asked, [fake], final=True)
    assert isinstance(plain, dict)
    assert isinstance(ends, dict)
    assert {key: value for key, value in ends.items() if key in plain} == pytest.approx(plain)
    for key in ("precision", "recall", "density", "coverage"):
        assert ends[f"{key}.low"] < plain[key] < ends[f"{key}.high"]
    assert set(ends) - set(plain) <= {entry.key for entry in asked.entries()} - set(plain)
    assert EvaluationConfig(samples=SAMPLES).signature() != asked.signature()
