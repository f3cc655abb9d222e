"""Standardised features: mean 0 and deviation 1, whatever offset and unit they had."""

from __future__ import annotations

import pytest
import torch

from trainables.measures.standard import Standard

X = torch.randn(200, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def test_columns_have_mean_0_and_deviation_1() -> None:
    z = Standard.of(X * torch.tensor([1.0, 5.0, 0.1]) + 3)(X * torch.tensor([1.0, 5.0, 0.1]) + 3)
    assert z.dtype == torch.float32
    torch.testing.assert_close(z.mean(dim=0), torch.zeros(3), atol=1e-6, rtol=0)
    torch.testing.assert_close(z.std(dim=0, correction=0), torch.ones(3), atol=1e-6, rtol=0)


@pytest.mark.parametrize(("unit", "offset"), [(1e150, 0.0), (1e-150, 0.0), (3.0, 1e6)])
def test_unit_and_offset_do_not_matter(unit: float, offset: float) -> None:
    moved = X * unit + offset
    torch.testing.assert_close(Standard.of(moved)(moved), Standard.of(X)(X), rtol=1e-5, atol=1e-5)


def test_a_constant_column_becomes_zero() -> None:
    flat = torch.cat([X, torch.full((200, 1), 7.0, dtype=torch.float64)], dim=1)
    standard = Standard.of(flat)
    assert float(standard.scale[3]) == 1.0
    assert not bool(standard(flat)[:, 3].any())
