"""Pictures show points where they lie, a panel per reading."""

from __future__ import annotations

import io

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from explorer.launch.picture import sample_picture

GREY, BLUE = np.array([203, 213, 225]), np.array([37, 99, 235])


def opened(png: bytes | None) -> NDArray[np.uint8]:
    assert png is not None
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


def near(pixels: NDArray[np.uint8], colour: NDArray[np.int64]) -> NDArray[np.bool_]:
    return np.abs(pixels.astype(int) - colour).sum(-1) < 60


def test_generated_points_lie_where_they_should() -> None:
    real = np.array([[-1.0, -1.0], [1.0, 1.0]])
    sheet = opened(sample_picture(real, {"K = 1": np.array([[1.0, -1.0]])}))
    assert sheet.shape == (320, 320, 3)
    rows, columns = np.nonzero(near(sheet, BLUE))
    assert columns.min() > 200, "x = 1 lies to the right"
    assert rows.min() > 200, "y = -1 lies at the bottom"
    assert near(sheet, GREY)[200:, :120].any(), "a real point at the left bottom"
    assert near(sheet, GREY)[:120, 200:].any(), "and one at the right top"


def test_every_reading_has_a_panel() -> None:
    real = np.random.default_rng(0).normal(size=(20, 2))
    assert opened(sample_picture(real, {"a": real, "b": real, "c": real})).shape == (320, 960, 3)


def test_points_on_a_line_are_spread_over_the_height() -> None:
    real = np.linspace(0, 1, 50)[:, None]
    rows, _ = np.nonzero(near(opened(sample_picture(real, {"a": real})), BLUE))
    assert rows.max() - rows.min() > 150


def test_edges_are_mixed_and_titles_written_in_ink() -> None:
    real = np.array([[0.0, 0.0], [1.0, 1.0]])
    sheet = opened(sample_picture(real, {"K = 1": real})).astype(int)
    colours = {tuple(colour) for colour in sheet.reshape(-1, 3).tolist()}
    assert {(255, 255, 255), (37, 99, 235), (71, 85, 105)} <= colours
    quarters = [tuple(np.rint((255 * (4 - n) + BLUE * n) / 4).astype(int)) for n in (1, 2, 3)]
    assert colours & set(quarters), "edges of discs"
    assert not any(all(value < 50 for value in colour) for colour in colours), "nothing is black"
    ink = np.argwhere((np.abs(sheet - [71, 85, 105]) < 20).all(-1))
    assert len(ink), "letters"
    assert ink.max() < 64, "in the corner"


@pytest.mark.parametrize("shape", [(5, 3), (5, 1, 4, 4), (5, 3, 3)])
def test_what_cannot_be_drawn_is_not(shape: tuple[int, ...]) -> None:
    assert sample_picture(np.zeros(shape), {"a": np.zeros(shape)}) is None
