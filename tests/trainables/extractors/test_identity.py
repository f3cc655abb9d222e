"""Points are their own features; images are their pixels in [0, 1]."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from trainables.extractors.extractor import Images
from trainables.extractors.identity import Identity
from trainables.features.extractor import extract


def test_points_as_they_are(tmp_path: Path) -> None:
    x = 9 * torch.randn(20, 3, generator=torch.Generator().manual_seed(0))
    built = Identity().build(x, None, tmp_path)
    assert not built.images
    torch.testing.assert_close(extract(built, [x]).values, x, rtol=0, atol=0)


def test_images_by_their_pixels(tmp_path: Path) -> None:
    x = torch.randint(0, 256, (5, 1, 4, 4), dtype=torch.uint8, generator=torch.Generator().manual_seed(0))
    built = Identity().build(x, None, tmp_path)
    assert built.images
    torch.testing.assert_close(extract(built, [x]).values, x.flatten(1) / 255)
    torch.testing.assert_close(extract(built, [x / 255]).values, x.flatten(1) / 255)


def test_images_of_one_size_pass_before_they_are_read() -> None:
    one, turned, other = (Images(5, frozenset({shape})) for shape in ((1, 4, 4), (1, 2, 8), (3, 4, 4)))
    Identity().look(one, turned)
    with pytest.raises(ValueError, match="identity features must have one dimension, got 16, 48 from images"):
        Identity().look(one, other)
    with pytest.raises(ValueError, match="identity features must have one dimension, got 16, 48 from images"):
        Identity().look(Images(5, one.shapes | other.shapes), one)
