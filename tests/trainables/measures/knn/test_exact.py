"""Distances and norms are those of brute force in float64, however they are cut."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.trainables.measures.knn.cases import KINDS, brute, case
from trainables.measures.knn import exact
from trainables.measures.knn.exact import exact_distances, squared_norms
from trainables.measures.knn.memory import Scratch


@pytest.mark.parametrize("kind", KINDS)
def test_exact_distances_are_brute_force_symmetric_and_zero_at_home(kind):
    x, y = (torch.from_numpy(case(kind, 50, 7, seed)) for seed in (0, 1))
    i, j = (a.flatten() for a in torch.meshgrid(torch.arange(50), torch.arange(50), indexing="ij"))
    found = exact_distances(x, y, i, j)
    np.testing.assert_allclose(found.view(50, 50), brute(x.numpy(), y.numpy()), rtol=1e-13, atol=0)
    assert torch.equal(found, exact_distances(y, x, j, i))
    assert torch.equal(found[1007:1008], exact_distances(x, y, i[1007:1008], j[1007:1008]))
    assert float(exact_distances(x, x, torch.arange(50), torch.arange(50)).max()) == 0.0
    assert exact_distances(x, y, i[:0], j[:0]).shape == (0,)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_what_is_widened_piece_by_piece_is_what_it_is_at_once(dtype, monkeypatch):
    """Exact distances and norms, in more pieces than there are threads."""
    x, y = (torch.from_numpy(case("normal", 50, 7, seed)).to(dtype) for seed in (0, 1))
    i, j = torch.arange(50).flip(0), torch.arange(50)
    at_once = exact_distances(x, y, i, j), squared_norms(x, y[0]), squared_norms(x, None)
    monkeypatch.setattr(exact, "_BYTES", 4 * 7 * 24)
    assert torch.equal(exact_distances(x, y, i, j), at_once[0])
    assert torch.equal(squared_norms(x, y[0]), at_once[1])
    assert torch.equal(squared_norms(x, None), at_once[2])
    np.testing.assert_allclose(at_once[0], np.diag(brute(x.numpy()[::-1], y.numpy())), rtol=1e-13)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_norms_are_those_of_brute_force(kind, dtype):
    x, y = (torch.from_numpy(case(kind, 50, 7, seed)).to(dtype) for seed in (0, 1))
    wide = x.numpy().astype(np.float64)
    np.testing.assert_allclose(squared_norms(x, None), (wide**2).sum(axis=1), rtol=1e-13)
    from_there = ((wide - y[3].numpy().astype(np.float64)) ** 2).sum(axis=1)
    np.testing.assert_allclose(squared_norms(x, y[3]), from_there, rtol=1e-13)


def test_memory_is_lent_and_columns_may_come_first():
    """The same memory serves pairs, norms and pairs again, whatever was left in it."""
    x, y = (torch.from_numpy(case("normal", n, 9, n)).float() for n in (30, 20))
    mirrored, scratch = x.T.contiguous().T, Scratch()
    i, j = torch.arange(20).flip(0), torch.arange(20)
    for features in (x, mirrored):
        assert torch.equal(exact_distances(features, y, i, j, scratch), exact_distances(x, y, i, j))
        assert torch.equal(squared_norms(features, y[0], scratch), squared_norms(x, y[0]))
