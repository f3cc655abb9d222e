"""Images become bytes between black and white, which their numbers tell."""

from __future__ import annotations

import pytest
import torch

from trainables.spans import as_bytes, span_of


@pytest.mark.parametrize("span", [(0.0, 1.0), (-1.0, 1.0), (0.0, 255.0)])
def test_bytes_go_from_black_to_white_and_no_further(span: tuple[float, float]) -> None:
    low, high = span
    images = torch.tensor([low - 1, low, (low + high) / 2, high, high + 1]).reshape(1, 1, 1, 5)
    assert as_bytes(images, span).ravel().tolist() == [0, 0, 128, 255, 255]


@pytest.mark.parametrize("span", [(0.0, 1.0), (-1.0, 1.0), (0.0, 255.0)])
@pytest.mark.parametrize("beyond", [0.0, 0.1])
def test_the_span_is_found_though_a_network_overshoots(span: tuple[float, float], beyond: float) -> None:
    low, high = span
    images = torch.linspace(low - beyond, high + beyond, 192).reshape(1, 3, 8, 8)
    assert span_of(images) == span


def test_bytes_are_bytes_however_dark_and_points_are_no_images() -> None:
    assert span_of(torch.zeros(2, 1, 4, 4, dtype=torch.uint8)) == (0.0, 255.0)
    assert span_of(torch.zeros(2, 5)) is None
    assert span_of(torch.zeros(2, 7, 4, 4)) is None
