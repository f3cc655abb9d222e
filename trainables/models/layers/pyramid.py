"""The sides of an image on its way between a small base and its full size: 4 → 8 → 16 → 32, or 7 → 14 → 28."""

from __future__ import annotations

from trainables.family import require

__all__ = ["LARGEST_SIDE", "check_image", "check_pyramid", "doubled", "sides"]

BASES = range(4, 8)
"""Every side ≥ 8 that fits is exactly one of these times a power of two."""

LARGEST_SIDE = 1024


def sides(side: int) -> tuple[int, ...]:
    """Sides from the base up to the image: 28 → (7, 14, 28)."""
    found = [side]
    while found[0] > max(BASES) and found[0] % 2 == 0:
        found.insert(0, found[0] // 2)
    return tuple(found)


def doubled(side: int, width: int) -> tuple[int, ...]:
    """Channels at every side from the base to half the image: ``width`` there, twice as many at each half side.

    No more than 8 · width: 32 → (4w, 2w, w), 128 → (8w, 8w, 4w, 2w, w).
    """
    return tuple(width * min(8, 2**k) for k in reversed(range(len(sides(side)) - 1)))


def check_image(model: str, shape: tuple[int, ...]) -> None:
    """Refuse data that are not square images (c, h, w)."""
    require(
        len(shape) == 3 and shape[1] == shape[2],
        f"model {model} needs square images (channels, side, side), got data of shape {shape}; "
        "use model mlp_gan for points, or a dataset of square images",
    )


def check_pyramid(model: str, shape: tuple[int, ...]) -> None:
    """Refuse sides that are not base · 2^k with a base of 4 to 7 and k ≥ 1."""
    check_image(model, shape)
    side = shape[1]
    found = sides(side)
    require(
        len(found) > 1 and found[0] in BASES and side <= LARGEST_SIDE,
        f"model {model} needs images whose side is 4, 5, 6 or 7 times a power of two, from 8 to {LARGEST_SIDE:,}, "
        f"got {side}; use dataset size {_nearest(side)}",
    )


def _nearest(side: int) -> int:
    """The power of two that is the nearest side that fits."""
    return min((8, 16, 32, 64, 128, 256, 512, LARGEST_SIDE), key=lambda fit: abs(fit - side))
