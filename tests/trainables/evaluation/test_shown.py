"""What is shown: the first points, some images as bytes, and some of each class."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from trainables.evaluation.shown import COLUMNS, IMAGES, PIXELS, POINTS, ROWS, shown


def test_the_first_points_as_they_are() -> None:
    points = torch.randn(POINTS + 5, 2, generator=torch.Generator().manual_seed(0))
    found = shown(points, torch.zeros(len(points)).long())
    assert np.array_equal(found.samples, points[:POINTS].numpy())
    assert found.classes is None


def test_images_are_bytes_from_black_to_white() -> None:
    greys = torch.tensor([-1.0, 0.0, 1.0, -7.0, 7.0])[:, None, None, None].expand(5, 1, 2, 2)
    found = shown(greys, span=(-1.0, 1.0)).samples
    assert found.dtype == np.uint8
    assert found[:, 0, 0, 0].tolist() == [0, 128, 255, 0, 255]


@pytest.mark.parametrize(("side", "count"), [(8, IMAGES), (512, PIXELS // (3 * 512 * 512)), (1024, 4)])
def test_large_images_are_fewer(side: int, count: int) -> None:
    assert len(shown(torch.zeros(1, 3, 1, 1).expand(100, 3, side, side)).samples) == max(4, count)


def test_of_every_class_the_first_ones_in_order() -> None:
    classes = torch.arange(300).flip(0) % 15
    images = (classes / 255)[:, None, None, None].expand(300, 1, 2, 2)
    found = shown(images, classes)
    assert found.classes is not None
    assert found.classes.tolist() == sorted(list(range(ROWS)) * COLUMNS)
    assert np.array_equal(found.samples[:, 0, 0, 0], found.classes)


def test_the_classes_that_are_shown_do_not_hang_on_which_there_are() -> None:
    classes = torch.tensor([ROWS, ROWS + 1, 3, 3])
    found = shown(torch.zeros(4, 1, 2, 2), classes)
    assert found.classes is not None
    assert found.classes.tolist() == [3, 3]


def test_nothing_to_show() -> None:
    assert shown(torch.zeros(0, 1, 2, 2), torch.zeros(0).long()).samples.shape == (0, 1, 2, 2)
    assert shown(torch.zeros(0, 1, 2, 2)).samples.shape == (0, 1, 2, 2)
