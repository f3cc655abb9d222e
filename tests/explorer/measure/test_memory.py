"""What would not fit is told with both numbers, before it is begun."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.measure.memory import available, check_memory, needed
from explorer.measure.outline import Outline


def features(n: int, d: int, dtype: str = "float32") -> Outline:
    return Outline(Path("x.npy"), (n, d), dtype)


def images(n: int, *shape: int, files: int = 0) -> Outline:
    return Outline(Path("x"), (n, *shape), files=(Path("0.png"),) * files)


def test_the_free_memory_of_this_machine() -> None:
    assert 1 << 26 < available() < 1 << 50


def test_both_sets_and_their_copies_count() -> None:
    one = needed(features(1000, 10), features(1000, 10), None, covariances=False)
    assert one >= 2 * 1000 * 10 * 4 * 2  # as stored, and at least once more
    assert needed(features(2000, 10), features(2000, 10), None, covariances=False) == 2 * one
    assert needed(features(1000, 10, "int8"), features(1000, 10), None, covariances=False) > one


def test_covariances_take_the_square_of_the_dimension() -> None:
    small = needed(features(20, 100_000), features(20, 100_000), None, covariances=False)
    assert small < 1 << 30
    assert needed(features(20, 100_000), features(20, 100_000), None, covariances=True) > 8 * 10**10


def test_images_count_by_what_is_made_of_them() -> None:
    pixels = needed(images(100, 3, 512, 512), images(100, 3, 512, 512), "identity", covariances=False)
    network = needed(images(100, 3, 512, 512), images(100, 3, 512, 512), None, covariances=False)
    assert network < pixels
    folder = images(100, 3, 512, 512, files=100)
    assert needed(folder, folder, None, covariances=False) < network  # is never in memory as a whole


def test_what_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = features(20, 10**6)
    with pytest.raises(UserError, match=r"20 × 1000000 and 20 × 1000000 numbers takes about .* GB of memory"):
        check_memory(wide, wide, None, covariances=True)
    with pytest.raises(UserError, match="GB are free; use fewer samples"):
        check_memory(features(10**12, 3), features(20, 3), None, covariances=False)
    check_memory(features(20, 3), features(20, 3), None, covariances=True)
