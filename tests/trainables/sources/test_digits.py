"""The digits of scikit-learn as images in bytes."""

from __future__ import annotations

import torch

from trainables.sources.digits import digits


def test_images_are_bytes_with_the_whole_range_and_every_class() -> None:
    images, labels = digits()
    assert images.shape == (1797, 1, 8, 8)
    assert images.dtype == torch.uint8
    assert (int(images.min()), int(images.max())) == (0, 255)
    assert len(images.unique()) == 17
    counts = torch.bincount(labels)
    assert len(counts) == 10
    assert int(counts.min()) >= 174


def test_a_zero_is_a_ring() -> None:
    """The middle of a zero is empty, its sides are not: images stand upright and belong to their labels."""
    images, labels = digits()
    mean = images[labels == 0, 0].double().mean(0)
    assert float(mean[3:5, 3:5].max()) < 0.25 * float(mean[3:5].max())
