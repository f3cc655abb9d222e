"""Sheets show images as tiles below titles, rows of classes, and stay small."""

from __future__ import annotations

import io

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from explorer.launch.image_sheet import LARGEST, ImagePanel, image_sheet

BLACK, WHITE = 0, 255


def opened(png: bytes) -> NDArray[np.uint8]:
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


def plain(count: int, grey: int, shape: tuple[int, int, int] = (1, 8, 8)) -> NDArray[np.uint8]:
    return np.full((count, *shape), grey, dtype=np.uint8)


@pytest.mark.parametrize("channels", [1, 3])
def test_images_are_tiles_in_their_order(channels: int) -> None:
    images = np.concatenate([plain(1, grey, (channels, 8, 8)) for grey in (WHITE, BLACK, 128, BLACK)])
    sheet = opened(image_sheet([ImagePanel("Real", images)]))
    row = sheet[26 + 8, 12:].max(-1)  # through the middle of the first tiles, which are magnified three times
    assert [int(row[26 * at + 8]) for at in range(4)] == [WHITE, BLACK, 128, BLACK]
    assert (row[26:50] == BLACK).all(), "small images are not blurred"
    assert sheet[:26].min() < 120, "the title stands above"


def test_colours_are_kept() -> None:
    red = plain(4, BLACK, (3, 8, 8))
    red[:, 0] = WHITE
    assert tuple(opened(image_sheet([ImagePanel("", red)]))[26 + 8, 12 + 8]) == (255, 0, 0)


def test_three_panels_stand_in_a_row_and_four_in_a_square() -> None:
    one, two, three, four, five = (
        opened(image_sheet([ImagePanel("a", plain(64, BLACK))] * count)).shape for count in range(1, 6)
    )
    assert one[0] == two[0] == three[0]
    assert (two[1] - 12, three[1] - 12) == (2 * (one[1] - 12), 3 * (one[1] - 12))
    assert four[:2] == (2 * one[0], two[1])
    assert five[:2] == (2 * one[0], three[1])


def test_every_class_has_a_row_of_its_own() -> None:
    classes = np.array([0, 0, 0, 1, 3])
    images = np.concatenate([plain(1, 40 * c) for c in classes])
    sheet = opened(image_sheet([ImagePanel("", images, classes)]))
    column = sheet[:, 12 + 8, 0]
    assert [int(column[26 + 26 * at + 8]) for at in range(3)] == [0, 40, 120]
    assert sheet[26 + 26 + 8, 12 + 26 + 8, 0] > 200, "class 1 has one image alone"


def test_a_class_of_which_a_panel_has_no_image_leaves_its_row_empty() -> None:
    panels = [
        ImagePanel("", np.concatenate([plain(1, 40 * c) for c in classes]), np.array(classes))
        for classes in ([0, 1, 3], [1, 3])
    ]
    sheet = opened(image_sheet(panels))
    second = sheet[:, 12 + (sheet.shape[1] - 12) // 2 + 8, 0]
    found = [int(second[26 + 26 * at + 8]) for at in range(3)]
    assert found[0] > 200, "no image of class 0"
    assert found[1:] == [40, 120]


def test_wide_images_keep_their_proportions() -> None:
    sheet = opened(image_sheet([ImagePanel("", plain(4, BLACK, (1, 60, 120)))]))
    rows, columns = np.nonzero(sheet[26:].max(-1) < 30)
    assert 2 * np.ptp(rows) == pytest.approx(np.ptp(columns), abs=4)


@pytest.mark.parametrize("side", [32, 64, 256])
def test_pictures_stay_small_whatever_the_images(side: int) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (64, 3, side, side), dtype=np.uint8)  # nothing packs it
    png = image_sheet([ImagePanel("a", noise)] * 6)
    assert len(png) <= 1.3 * LARGEST
    assert opened(png).shape[1] <= 900


def test_few_images_leave_no_holes_in_rows() -> None:
    assert opened(image_sheet([ImagePanel("a", plain(3, BLACK))])).shape[0] < 80
