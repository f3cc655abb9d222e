"""Counts of packs by every distance are those of trees and products, ties and copies included."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trainables.measures.knn import packed
from trainables.measures.knn.neighbours import ball_counts_of
from trainables.measures.knn.packed import packed_ball_counts, squared_radii

FIELDS = ("real_balls_around_fake", "fakes_in_real_ball", "fake_balls_around_real", "reals_in_fake_ball")


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    dimension=st.integers(1, 12),
    sets=st.integers(1, 4),
    coarse=st.booleans(),
    room=st.sampled_from([1, 10**9]),
)
def test_counts_are_those_of_one_set_at_a_time(
    seed: int, dimension: int, sets: int, coarse: bool, room: int
) -> None:
    generator = torch.Generator().manual_seed(seed)
    real = torch.randn(40, dimension, generator=generator)
    fakes = torch.randn(sets, 30, dimension, generator=generator)
    if coarse:  # whole numbers: distances tie, and samples coincide within and across sets
        real, fakes = real.round(), fakes.round()
    ks = (2, 5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packed, "_CPU_BYTES", room)
        together = packed_ball_counts(real, fakes, squared_radii(real[None], ks)[0], ks)
    for at, k in enumerate(ks):
        assert together[at].k == k
        for index, fake in enumerate(fakes):
            alone = ball_counts_of(real, fake, ks)[at]
            for name in FIELDS:
                found = getattr(together[at], name)[index]
                assert torch.equal(found, getattr(alone, name)), name


def test_a_set_is_covered_by_itself() -> None:
    x = torch.randn(50, 3, generator=torch.Generator().manual_seed(0))
    (found,) = packed_ball_counts(x, x[None], squared_radii(x[None], (3,))[0], (3,))
    assert all(float(values.mean()) >= 1 for values in found.per_sample().values())


def test_squares_that_vanish_are_told() -> None:
    x = torch.randn(20, 3, generator=torch.Generator().manual_seed(0)).double()
    with pytest.raises(ValueError, match="underflow float64; rescale the features"):
        squared_radii(1e-165 * x[None], (2,))
