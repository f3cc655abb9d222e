"""The penalty of rows that are not orthogonal."""

from __future__ import annotations

import torch

from trainables.models.layers.orthogonality import off_diagonal


def test_orthogonal_rows_of_any_length_cost_nothing() -> None:
    rows = torch.linalg.qr(torch.randn(8, 3))[0].T * torch.tensor([[1.0], [2.0], [30.0]])
    assert float(off_diagonal(rows.reshape(1, 3, 2, 2, 2))) < 1e-6


def test_it_is_the_sum_of_squared_products_of_different_rows() -> None:
    weights = torch.tensor([[[1.0, 2.0], [3.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]]])
    assert off_diagonal(weights).tolist() == [2 * 11.0**2, 0.0]
