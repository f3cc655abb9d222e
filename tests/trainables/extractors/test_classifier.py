"""The data's own classifier needs images with labels, and tells their classes apart."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from trainables.extractors.classifier import OwnClassifier
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
    assert len(list(tmp_path.iterdir())) == 1  # kept for the next time


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
