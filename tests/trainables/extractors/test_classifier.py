"""The data's own classifier needs images with labels, and tells their classes apart."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from trainables.extractors.classifier import OwnClassifier
from trainables.extractors.extractor import Images
from trainables.features.extractor import extract


def test_features_and_logits_of_its_own_classes(tmp_path: Path) -> None:
    y = torch.arange(60) % 2
    x = (0.2 * torch.rand(60, 1, 8, 8, generator=torch.Generator().manual_seed(0))) + 0.7 * y[
        :, None, None, None
    ]
    built = OwnClassifier().build(x, y, tmp_path)
    features = extract(built, [x])
    assert features.values.shape == (60, 128)
    assert features.logits is not None
    assert features.logits.shape == (60, 2)
    assert len(list(tmp_path.glob("*.pt"))) == 1  # kept for the next time


@pytest.mark.parametrize(
    ("samples", "labels"),
    [(torch.zeros(30, 1, 8, 8), None), (torch.zeros(30, 2), torch.zeros(30, dtype=torch.int64))],
)
def test_data_without_images_or_labels_is_refused(
    samples: torch.Tensor, labels: torch.Tensor | None, tmp_path: Path
) -> None:
    sentence = "extractor classifier is trained on real images with labels, which this data has not"
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        OwnClassifier().build(samples, labels, tmp_path)


@pytest.mark.parametrize(
    ("real", "fake", "told"),
    [
        (Images(30, frozenset({(1, 8, 8)})), (1, 8, 8), "trained on real images with labels"),
        (Images(19, frozenset({(1, 8, 8)}), True), (1, 8, 8), "on at least 20 real images, got 19"),
        (Images(30, frozenset({(1, 8, 8)}), True), (1, 9, 9), r"shape \(1, 8, 8\) .*, got \(1, 9, 9\)"),
    ],
)
def test_headers_tell_what_cannot_be_learnt(real: Images, fake: tuple[int, int, int], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        OwnClassifier().look(real, Images(30, frozenset({fake})))
    fit = Images(20, frozenset({(1, 8, 8)}), labelled=True)
    OwnClassifier().look(fit, fit)
