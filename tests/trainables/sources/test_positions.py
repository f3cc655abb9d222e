"""Positions are uniform, pure, and reach every sample of a large set."""

from __future__ import annotations

import pytest
import torch
from scipy import stats

from trainables.randomness import Noise, Stream
from trainables.sources.positions import COARSE, positions


def noise(*seeds: int) -> Noise:
    return Noise(torch.tensor(seeds))


def test_small_sets_are_drawn_as_they_always_were() -> None:
    """Trials that are stored were trained on these very draws."""
    found = positions(noise(3, 4), Stream.REAL, 7, 100, 1000)
    expected = (noise(3, 4).uniform(Stream.REAL, 7, 100) * 1000).long().clamp(max=999)
    assert torch.equal(found, expected)


@pytest.mark.parametrize("size", [1, 10, COARSE, COARSE + 1, 2**24 + 3, 2**31 - 1, 2**40])
def test_positions_lie_in_the_set_and_are_uniform(size: int) -> None:
    found = positions(noise(1), Stream.REAL, 0, 20_000, size)[0]
    assert found.dtype == torch.int64
    assert 0 <= int(found.min()) <= int(found.max()) < size
    if size > 1:
        cells = (found.double() / size * 10).long().clamp(max=9).bincount(minlength=10)
        assert stats.chisquare(cells.numpy()).pvalue > 1e-4


@pytest.mark.parametrize("size", [COARSE + 1, 2**25, 2**30])
def test_every_remainder_is_reached(size: int) -> None:
    """Of float32 uniforms alone, times 2^25 or more, all products in the upper half would be even."""
    found = positions(noise(1), Stream.REAL, 0, 20_000, size)[0]
    upper = found[found > size // 2]
    odd = float((upper % 2).double().mean())
    assert abs(odd - 0.5) < 5 * 0.5 / len(upper) ** 0.5


def test_positions_are_a_function_of_seed_stream_and_step() -> None:
    size = 2**26
    together = positions(noise(5, 6), Stream.REAL, torch.tensor(3), 40, size)
    assert torch.equal(together[1:], positions(noise(6), Stream.REAL, 3, 40, size))
    assert not torch.equal(together, positions(noise(5, 6), Stream.REAL, 4, 40, size))
    assert not torch.equal(together, positions(noise(5, 6), Stream.UNSEEN, 3, 40, size))
