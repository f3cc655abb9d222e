"""What would not fit is told with both numbers, before it is begun."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.measure.memory import check_memory, needed
from explorer.measure.outline import Outline


def features(n: int, d: int, dtype: str = "float32") -> Outline:
    return Outline(Path("x.npy"), (n, d), dtype)


def images(n: int, *shape: int, files: int = 0) -> Outline:
    return Outline(Path("x"), (n, *shape), files=(Path("0.png"),) * files)


def test_both_sets_and_their_copies_count() -> None:
    one = needed(features(1000, 10), features(1000, 10), None, covariances=False)
    assert one >= 2 * 1000 * 10 * 4 * 2  # as stored, and at least once more
    assert needed(features(2000, 10), features(2000, 10), None, covariances=False) == 2 * one
    assert needed(features(1000, 10, "int8"), features(1000, 10), None, covariances=False) > one


def test_covariances_take_the_square_of_the_dimension() -> None:
    without = needed(features(9000, 4000), features(9000, 4000), None, covariances=False)
    assert needed(features(9000, 4000), features(9000, 4000), None, covariances=True) > without + 8 * 4000**2


def test_few_samples_take_no_square_of_the_dimension() -> None:
    few = features(60, 100_000)
    without, within = (needed(few, few, None, covariances=asked) for asked in (False, True))
    assert without < within < 1 << 30
    many = needed(few, features(10_000, 100_000), None, covariances=True)
    assert many < needed(few, features(10_000, 100_000), None, covariances=False) + (1 << 28)


def test_networks_have_features_of_their_own_width() -> None:
    wide = images(60, 3, 2000, 2000)
    assert needed(wide, wide, None, covariances=True) > needed(wide, wide, None, covariances=False) + (
        1 << 28
    )


def test_images_count_by_what_is_made_of_them() -> None:
    pixels = needed(images(100, 3, 512, 512), images(100, 3, 512, 512), "identity", covariances=False)
    network = needed(images(100, 3, 512, 512), images(100, 3, 512, 512), None, covariances=False)
    assert network < pixels
    folder = images(100, 3, 512, 512, files=100)
    assert needed(folder, folder, None, covariances=False) < network  # is never in memory as a whole


def test_what_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = features(200_000, 100_000, "uint8")
    with pytest.raises(UserError, match=r"200000 × 100000 and 200000 × 100000 numbers takes about .* GB of"):
        check_memory(wide, wide, None, covariances=True)
    with pytest.raises(UserError, match="GB are free; use fewer samples"):
        check_memory(features(10**12, 3), features(20, 3), None, covariances=False)
    check_memory(features(20, 3), features(20, 3), None, covariances=True)
