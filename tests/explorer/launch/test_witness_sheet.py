"""Two rows of images below their titles, in a picture that stays small."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from explorer.launch.witness_sheet import LARGEST, witness_sheet


def noise(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)


def test_each_kind_has_its_row() -> None:
    black, grey = np.zeros((3, 1, 8, 8), np.uint8), np.full((16, 1, 8, 8), 128, np.uint8)
    sheet = np.asarray(Image.open(io.BytesIO(witness_sheet([("a", black), ("b", grey)]))).convert("L"))
    assert sheet.shape == (2 * (26 + 64 + 2) - 2, 16 * 66 - 2)
    assert (sheet[30:80] == 0).any(axis=0).sum() == 3 * 64
    assert (sheet[130] == 128).sum() == 16 * 64


@pytest.mark.parametrize("shape", [(16, 1, 28, 28), (16, 3, 32, 32), (16, 3, 64, 64), (10, 3, 128, 128)])
def test_a_sheet_stays_small(shape: tuple[int, ...]) -> None:
    assert len(witness_sheet([("Generated", noise(*shape)), ("Real", noise(*shape))])) <= LARGEST


def test_a_row_may_be_empty() -> None:
    png = witness_sheet([("Generated", noise(0, 1, 8, 8)), ("Real", noise(2, 1, 8, 8))])
    assert Image.open(io.BytesIO(png)).width == 240, "room for titles"
