"""Features that are left open fit the data, and are refused before training where they could not be had."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from trainables.datasets import Dataset
from trainables.datasets.gaussians8 import Gaussians8
from trainables.evaluation.default_features import check_default, default_features
from trainables.extractors import FeatureExtractor
from trainables.extractors.classifier import OwnClassifier
from trainables.extractors.identity import Identity
from trainables.extractors.inception import Inception
from trainables.sources.source import Source


@dataclass(frozen=True)
class Pictures(Dataset):
    """Images of any shape, never looked at."""

    name = "pictures"
    form: tuple[int, ...] = (1, 8, 8)
    labels: int = 0

    @property
    def shape(self) -> tuple[int, ...]:
        return self.form

    @property
    def classes(self) -> int | None:
        return self.labels or None

    def source(self) -> Source:
        raise NotImplementedError


@pytest.mark.parametrize(
    ("dataset", "features"),
    [
        (Gaussians8(), Identity()),
        (Pictures((64,)), Identity()),
        (Pictures(labels=10), OwnClassifier()),
        (Pictures(labels=1), Inception()),
        (Pictures(), Inception()),
        (Pictures((3, 8, 8)), Inception()),
        (Pictures((3, 8, 8), labels=10), Inception()),
        (Pictures((2, 8, 8), labels=10), OwnClassifier()),
        (Pictures((2, 8, 8)), Identity()),
    ],
)
def test_features_fit_shape_and_classes(dataset: Dataset, features: FeatureExtractor) -> None:
    assert default_features(dataset) == features


@pytest.mark.parametrize(
    ("dataset", "remedy"),
    [(Pictures(), "identity (pixels)"), (Pictures((3, 8, 8), 2), "classifier (trained on its labels)")],
)
def test_weights_that_are_nowhere_are_told_before_training(
    dataset: Dataset, remedy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(
        ValueError, match="images of dataset 'pictures' are compared by inception unless"
    ) as told:
        check_default(dataset)
    assert str(told.value).endswith(f"or write evaluation.features: {remedy}")
    for other in (Gaussians8(), Pictures(labels=10)):
        check_default(other)


def test_weights_that_are_there_are_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "hub" / "checkpoints"
    folder.mkdir(parents=True)
    (folder / "pt_inception-2015-12-05-6726825d.pth").touch()
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    check_default(Pictures())
