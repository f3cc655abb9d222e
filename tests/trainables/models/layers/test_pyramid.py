"""Sides of images: which fit, what stands between base and image, and what is said of others."""

from __future__ import annotations

import pytest

from trainables.models.layers.pyramid import check_image, check_pyramid, doubled, sides


def test_sides_double_from_the_base() -> None:
    assert sides(8) == (4, 8)
    assert sides(28) == (7, 14, 28)
    assert sides(32) == (4, 8, 16, 32)
    assert sides(48) == (6, 12, 24, 48)


def test_channels_double_towards_the_base_up_to_eightfold() -> None:
    assert doubled(8, 5) == (5,)
    assert doubled(32, 5) == (20, 10, 5)
    assert doubled(128, 5) == (40, 40, 20, 10, 5)


@pytest.mark.parametrize("side", [8, 10, 12, 14, 16, 24, 28, 32, 64, 96, 128])
def test_sides_that_fit(side: int) -> None:
    check_pyramid("dcgan", (3, side, side))


@pytest.mark.parametrize(
    ("side", "fit"), [(4, 8), (7, 8), (18, 16), (27, 32), (30, 32), (100, 128), (2048, 1024)]
)
def test_sides_that_do_not_fit_are_told_the_nearest(side: int, fit: int) -> None:
    with pytest.raises(ValueError, match=rf"model dcgan needs .*, got {side}; use dataset size {fit}$"):
        check_pyramid("dcgan", (1, side, side))


@pytest.mark.parametrize("shape", [(2,), (1, 8), (1, 8, 16), (1, 1, 8, 8)])
def test_only_square_images_are_images(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"needs square images .* use model mlp_gan for points"):
        check_image("dcgan", shape)
