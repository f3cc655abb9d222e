"""Trees and products find the same neighbours."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from trainables.evaluation import closest as module
from trainables.evaluation.closest import closest


@pytest.mark.parametrize("dimension", [1, 2, 3, 4, 30])
def test_the_nearest_are_found_in_any_dimension(dimension: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_CPU_PAIRS", 1000)  # several blocks
    generator = torch.Generator().manual_seed(dimension)
    x = torch.randn(40, dimension, generator=generator) + 3
    y = torch.randn(60, dimension, generator=generator) + 3
    distances, places = closest(x, y, 4)
    every = torch.from_numpy(np.linalg.norm(x.numpy()[:, None].astype(float) - y.numpy()[None], axis=2))
    expected = every.sort(dim=1)
    torch.testing.assert_close(distances, expected.values[:, :4], rtol=1e-4, atol=1e-4)
    assert (places == expected.indices[:, :4]).float().mean() > 0.99  # but for ties of rounding
    assert distances.shape == places.shape == (40, 4)


@pytest.mark.parametrize("dimension", [2, 30])
def test_of_nobody_there_is_nobody_near(dimension: int) -> None:
    distances, places = closest(torch.zeros(0, dimension), torch.zeros(5, dimension), 2)
    assert distances.shape == places.shape == (0, 2)


@pytest.mark.parametrize("k", [0, 6])
def test_there_are_only_as_many_as_there_are(k: int) -> None:
    with pytest.raises(ValueError, match=f"1 to 5 nearest, got k={k}"):
        closest(torch.zeros(3, 2), torch.zeros(5, 2), k)
