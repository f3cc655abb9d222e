"""Precision, recall, density and coverage of points counted by hand."""

from __future__ import annotations

import torch

from trainables.metrics.neighbours import Neighbours
from trainables.metrics.pair import Pair


def test_points_on_a_line() -> None:
    # k = 1: real balls around 0, 1, 3 have radii 1, 1, 2; generated ones around 0.5, 9 have radii 8.5.
    real, fake = torch.tensor([[0.0], [1.0], [3.0]]), torch.tensor([[0.5], [9.0]])
    values = Neighbours().measure(Pair(real, fake, k=1)).values
    assert values["precision"] == 0.5  # 9 lies in no ball
    assert values["recall"] == 1.0
    assert values["density"] == 2 / 2  # 0.5 lies in the balls around 0 and 1; that around 3 ends at 1
    assert values["coverage"] == 2 / 3


def test_it_looks_at_the_kth_neighbour() -> None:
    assert Neighbours().orders(5) == (5,)
    x = torch.randn(50, 2, generator=torch.Generator().manual_seed(0))
    values = Neighbours().measure(Pair(x, x.clone(), k=3)).values
    assert (values["precision"], values["recall"], values["coverage"]) == (1.0, 1.0, 1.0)
