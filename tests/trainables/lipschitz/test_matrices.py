"""Norms of many matrices at once are their largest singular values."""

from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trainables.lipschitz.matrices import gram_norm, norm_from_above, spectral_norm


def test_a_norm_is_the_largest_singular_value_and_a_diverged_one_stops_nobody() -> None:
    weight = torch.stack((torch.diag(torch.tensor([3.0, -5.0])), torch.eye(2)))
    torch.testing.assert_close(spectral_norm(weight), torch.tensor([5.0, 1.0]))
    for broken in (torch.nan, torch.inf, -torch.inf):
        weight[0, 0, 1] = broken
        torch.testing.assert_close(spectral_norm(weight), torch.tensor([torch.nan, 1.0]), equal_nan=True)


@settings(max_examples=50)
@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(1, 40),
    columns=st.integers(1, 40),
    scale=st.sampled_from([1e-18, 1e-3, 1.0, 1e15]),
    rank=st.integers(0, 3),
)
def test_by_products_the_norm_is_met_from_above(
    seed: int, rows: int, columns: int, scale: float, rank: int
) -> None:
    generator = torch.Generator().manual_seed(seed)
    full = torch.randn(3, rows, columns, generator=generator, dtype=torch.float64)
    thin = torch.randn(3, rows, rank, generator=generator, dtype=torch.float64) @ torch.randn(
        3, rank, columns, generator=generator, dtype=torch.float64
    )
    weight = scale * torch.cat((full, thin, torch.ones(1, rows, columns, dtype=torch.float64)))
    exact = torch.linalg.matrix_norm(weight, ord=2)
    found = norm_from_above(weight)
    torch.testing.assert_close(found, exact, rtol=1e-7, atol=0)
    assert bool((found >= exact * (1 - 1e-12)).all())


def test_norms_by_gram_matrices_of_real_and_complex_ones() -> None:
    generator = torch.Generator().manual_seed(0)
    for rows, columns in ((3, 5), (6, 2)):
        for kind in (torch.complex128, torch.float64):
            weight = torch.randn(4, rows, columns, generator=generator, dtype=kind)
            exact = torch.linalg.svdvals(weight)[:, 0]
            for found in (gram_norm(weight), norm_from_above(weight)):
                assert found.dtype == torch.float64
                torch.testing.assert_close(found, exact, rtol=1e-7, atol=0)
