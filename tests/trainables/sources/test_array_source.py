"""Samples in memory: a part is kept from training, labels travel with their samples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trainables.randomness import Noise, Stream
from trainables.sources.array_source import ArraySource


def noise(*seeds: int) -> Noise:
    return Noise(torch.tensor(seeds))


def numbered(count: int, **options: Any) -> ArraySource:
    """Sample i is (i, -i)."""
    line = torch.arange(count, dtype=torch.float32)
    return ArraySource(torch.stack((line, -line), dim=1), **options)


@settings(max_examples=30)
@given(count=st.integers(2, 200), share=st.floats(0.01, 0.99))
def test_the_parts_are_apart_and_together_everything(count: int, share: float) -> None:
    held = int(count * share)
    if held < 1:
        with pytest.raises(ValueError, match="held_out must leave samples on both sides"):
            numbered(count, held_out=share)
        return
    source = numbered(count, held_out=share)
    unseen = set(source.reference(held).x[:, 0].tolist())
    assert len(unseen) == held
    seen = set(source.draw(noise(0, 1, 2), Stream.REAL, 0, 40 * count).x[..., 0].flatten().tolist())
    assert not seen & unseen
    assert seen <= set(range(count)) - unseen
    later = source.draw(noise(5), Stream.UNSEEN, 9, 50).x[..., 0].flatten().tolist()
    assert set(later) <= unseen


def test_all_of_the_training_part_is_drawn_equally_often() -> None:
    source = numbered(50, held_out=0.2)
    counts = source.draw(noise(1), Stream.REAL, 0, 40_000).x[0, :, 0].long().bincount(minlength=50)
    assert int((counts > 0).sum()) == 40
    assert float(counts[counts > 0].min()) > 1000 - 5 * 1000**0.5
    assert float(counts.max()) < 1000 + 5 * 1000**0.5


def test_the_split_is_the_same_on_every_call_and_not_the_order_of_the_file() -> None:
    first, again = numbered(100), numbered(100)
    torch.testing.assert_close(first.reference(20).x, again.reference(20).x, rtol=0, atol=0)
    assert first.reference(20).x[:, 0].tolist() != list(range(20))
    torch.testing.assert_close(first.reference(20).x[:5], first.reference(5).x, rtol=0, atol=0)


def test_draws_are_pure_and_rows_are_trials() -> None:
    source = numbered(100)
    together = source.draw(noise(3, 8), Stream.REAL, torch.tensor(4), 30).x
    assert together.shape == (2, 30, 2)
    torch.testing.assert_close(together[1:], source.draw(noise(8), Stream.REAL, 4, 30).x, rtol=0, atol=0)
    assert not torch.equal(together[0], together[1])
    assert not torch.equal(together, source.draw(noise(3, 8), Stream.REAL, 5, 30).x)


def test_labels_stay_with_their_samples() -> None:
    line = np.arange(90)
    source = ArraySource(line.astype(np.float64), labels=line % 3, held_out=0.3)
    assert source.classes == 3
    assert source.shape == (1,)
    for x, y in (source.draw(noise(0, 1), Stream.REAL, 0, 60), source.reference(27)):
        assert y is not None
        assert y.dtype == torch.int64
        assert torch.equal(x[..., 0].long() % 3, y)
    moved = source.to("cpu")
    assert (moved.classes, moved.shape, moved.span) == (3, (1,), None)
    assert torch.equal(moved.reference(27).x, source.reference(27).x)


def test_images_keep_their_shape_and_span() -> None:
    source = ArraySource(torch.zeros(10, 1, 4, 4, dtype=torch.uint8), span=(0.0, 255.0))
    assert source.shape == (1, 4, 4)
    assert source.span == source.to("cpu").span == (0.0, 255.0)
    assert source.draw(noise(0), Stream.REAL, 0, 3).x.shape == (1, 3, 1, 4, 4)
    assert source.reference(2).x.dtype == torch.float32


@pytest.mark.parametrize("share", [0.0, 1.0, -0.5, 1.5, 0.001, float("nan")])
def test_a_share_that_leaves_nothing_is_refused(share: float) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        numbered(10, held_out=share)
    assert str(refusal.value) == (
        f"held_out must leave samples on both sides, got {share} of 10 samples; use 0.2"
    )


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_samples_that_are_not_numbers_are_refused(bad: float) -> None:
    samples = np.zeros((10, 2))
    samples[3, 1] = bad
    with pytest.raises(
        ValueError, match="samples must be finite, but some hold NaN or infinity; remove them"
    ):
        ArraySource(samples)


@pytest.mark.parametrize("labels", [np.zeros(9), np.zeros((10, 1)), np.full(10, -1)])
def test_labels_that_do_not_fit_are_refused(labels: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        ArraySource(np.zeros((10, 2)), labels=labels)
    assert str(refusal.value) == (
        f"labels must be one whole number 0, 1, … per sample, got shape {labels.shape} for 10 samples"
    )


def test_more_than_is_held_out_is_refused() -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        numbered(10).reference(3)
    assert str(refusal.value) == (
        "evaluation.samples must be at most the 2 samples held out from training, got 3; use fewer"
    )


def test_what_features_learn_from_is_of_the_training_part_and_distinct() -> None:
    source = numbered(50, held_out=0.2, labels=torch.arange(50) % 5)
    learnt = source.labelled(1000)
    assert learnt is not None
    assert learnt.y is not None
    seen = set(learnt.x[:, 0].tolist())
    assert len(seen) == len(learnt.x) == 40
    assert not seen & set(source.reference(10).x[:, 0].tolist())
    assert torch.equal(learnt.x[:, 0].long() % 5, learnt.y)
    few = source.labelled(7)
    assert few is not None
    assert len(few.x) == 7
    assert numbered(50).labelled(7) is None
