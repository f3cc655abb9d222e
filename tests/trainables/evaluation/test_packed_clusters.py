"""Unions that are clustered together are clustered as each would be alone."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from trainables.evaluation import packed_clusters as module
from trainables.evaluation.packed_clusters import packed_histograms


def cloud(seed: int, *shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def test_clusters_that_are_apart_are_found() -> None:
    centres = 100 * torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    real = (centres[:, None] + cloud(0, 4, 30, 2)).flatten(0, 1)
    half = (centres[:2, None] + cloud(1, 2, 60, 2)).flatten(0, 1)
    of_real, of_fake = packed_histograms(real, half[None], 4, 3)
    assert of_real.shape == of_fake.shape == (1, 3, 4)
    for run in range(3):
        assert sorted(zip(of_real[0, run], of_fake[0, run], strict=True)) == [
            (30, 0),
            (30, 0),
            (30, 60),
            (30, 60),
        ]


@pytest.mark.parametrize("dimension", [1, 2, 20])
def test_all_samples_are_counted_and_neighbours_do_not_matter(
    dimension: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, fakes = cloud(0, 80, dimension), 2 * cloud(1, 5, 60, dimension)
    together = packed_histograms(real, fakes, 7, 2)
    assert (together[0].sum(-1) == 80).all()
    assert (together[1].sum(-1) == 60).all()
    alone = [packed_histograms(real, fake[None], 7, 2) for fake in fakes]
    for side in (0, 1):
        np.testing.assert_array_equal(together[side], np.concatenate([one[side] for one in alone]))
    monkeypatch.setattr(module, "_NUMBERS", 1)
    np.testing.assert_array_equal(packed_histograms(real, fakes, 7, 2)[1], together[1])


def test_samples_that_are_all_one_and_sets_of_one_size_less_than_clusters() -> None:
    of_real, of_fake = packed_histograms(torch.ones(10, 2), torch.ones(2, 10, 2), 5, 2)
    assert (of_real.sum(-1) == 10).all()
    assert (of_fake.sum(-1) == 10).all()
    with pytest.raises(ValueError, match="between 1 and the number of samples 20, got 21"):
        packed_histograms(torch.ones(10, 2), torch.ones(2, 10, 2), 21, 2)
