"""A thumbnail is small whatever it shows, and shows points where they lie."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from explorer.launch.thumbnail import LARGEST, thumbnail

GREY, BLUE = (203, 213, 225), (37, 99, 235)


def opened(png: bytes | None) -> NDArray[np.uint8]:
    assert png is not None
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


def test_points_lie_where_they_should() -> None:
    sheet = opened(thumbnail(np.array([[-1.0, -1.0], [1.0, 1.0]]), np.array([[1.0, -1.0]])))
    assert sheet.shape == (96, 96, 3)
    rows, columns = np.nonzero((sheet == BLUE).all(-1))
    assert columns.min() > 60, "x = 1 lies to the right"
    assert rows.min() > 60, "y = -1 lies at the bottom"
    grey = (sheet == GREY).all(-1)
    assert grey[60:, :36].any()
    assert grey[:36, 60:].any()


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(1, 600),
    d=st.sampled_from([1, 2]),
    spread=st.sampled_from([0.0, 1.0, 1e3, 1e30]),
    seed=st.integers(0, 99),
)
def test_any_points_make_a_small_picture(n: int, d: int, spread: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    png = thumbnail(rng.normal(size=(50, d)).astype(np.float32), spread * rng.normal(size=(n, d)))
    assert png is not None
    assert len(png) <= LARGEST
    assert opened(png).shape == (96, 96, 3)


@pytest.mark.parametrize(
    "shape",
    [(64, 1, 8, 8), (64, 1, 32, 32), (20, 3, 32, 32), (16, 3, 128, 128), (9, 3, 64, 64), (2, 1, 20, 10)],
)
def test_images_are_small_also_where_they_are_noise(shape: tuple[int, ...]) -> None:
    images = np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)
    png = thumbnail(images, images)
    assert png is not None
    assert len(png) <= LARGEST
    height, width, _ = opened(png).shape
    assert max(height, width) <= 96
    assert max(height, width) >= 40


def test_images_stand_in_their_order() -> None:
    images = np.zeros((16, 1, 8, 8), np.uint8)
    images[5] = 255
    sheet = opened(thumbnail(images, images))
    rows, columns = np.nonzero(sheet[:, :, 0])
    assert (rows.min(), rows.max(), columns.min(), columns.max()) == (24, 47, 24, 47), (
        "the second of the second row"
    )


def test_other_shapes_have_none() -> None:
    assert thumbnail(np.zeros((4, 3)), np.zeros((4, 3))) is None
    assert thumbnail(np.zeros((4, 2, 8, 8)), np.zeros((4, 2, 8, 8))) is None
    assert thumbnail(np.zeros((0, 1, 8, 8)), np.zeros((0, 1, 8, 8))) is None
