"""Samples of a law are fresh for every batch; the reference has a seed of its own."""

from __future__ import annotations

import torch

from trainables.datasets.mixture1d import Mixture1d
from trainables.randomness import Noise, Stream
from trainables.sources.law_source import LawSource


def test_batches_are_the_laws_own() -> None:
    law = Mixture1d().source().law
    source = LawSource(law)
    noise = Noise(torch.tensor([3, 4]))
    batch = source.draw(noise, Stream.REAL, 6, 50)
    assert batch.y is None
    torch.testing.assert_close(batch.x, law.draw(noise, Stream.REAL, 6, 50), rtol=0, atol=0)
    assert source.shape == law.shape == (1,)
    moved = source.to("cpu")
    torch.testing.assert_close(moved.draw(noise, Stream.REAL, 6, 50).x, batch.x, rtol=0, atol=0)
    assert moved.law is not None


def test_nothing_is_drawn_twice_and_a_longer_reference_begins_with_other_points_than_a_trial() -> None:
    source = Mixture1d().source()
    noise = Noise(torch.tensor([0]))
    draws = [
        source.draw(noise, stream, step, 100).x for stream in (Stream.REAL, Stream.UNSEEN) for step in (0, 1)
    ]
    points = torch.cat([*draws, source.reference(100).x[None]]).flatten()
    assert len(points.unique()) > 495  # float32 has few enough values for chance repeats
