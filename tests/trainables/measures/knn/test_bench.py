"""Tiles are those of their panels, in memory of each thread's own; squares are made of blocks that meet every pair."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from trainables.measures.knn import bench as module
from trainables.measures.knn.bench import Bench
from trainables.measures.knn.products import Panel, lower_bounds


def panel_of(n: int, d: int, generator: torch.Generator) -> Panel:
    return Panel(torch.randn(n, d, generator=generator), torch.randn(n, generator=generator).numpy())


def test_memory_that_grows_between_tiles_is_that_of_the_next_tile():
    """And nothing of the old is kept."""
    bench, generator = Bench(), torch.Generator().manual_seed(1)
    left, right = (panel_of(k, 6, generator) for k in (5, 7))
    expected = bench.tile(left, right).copy()
    scratch = bench.doubles(1000)
    again = bench.tile(left, right)
    assert np.array_equal(again, expected)
    assert np.shares_memory(again, scratch)


def test_a_bench_serves_tiles_of_all_sizes_and_every_thread_has_its_own():
    bench, generator = Bench(), torch.Generator().manual_seed(0)
    for n, m in ((5, 7), (9, 4), (2, 3), (20, 11)):
        left, right = (panel_of(k, 6, generator) for k in (n, m))
        expected = lower_bounds(left, right, torch.empty(n, m))
        assert np.array_equal(bench.tile(left, right), expected)
        assert bench.masks(2, n, m).shape == (2, n, m)
    mine = bench.tile(left, right)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(bench.tile, left, Panel(-right.points, right.bounds)).result()
    assert np.array_equal(mine, expected)


@pytest.mark.parametrize("n", [5, 300, 801])
def test_a_square_is_the_tile_of_a_panel_with_itself(n):
    generator = torch.Generator().manual_seed(n)
    panel = panel_of(n, 16, generator)
    expected = lower_bounds(panel, panel, torch.empty(n, n))
    np.fill_diagonal(expected, np.inf)
    found = Bench().square(panel)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize(("first", "last"), [(0, 1024), (100, 999), (7, 40)])
def test_the_tiles_of_a_square_meet_every_pair_once(first, last):
    seen = np.zeros((last, last), dtype=int)
    for (start, stop), (left, right) in module._triangle(first, last):
        seen[start:stop, left:right] += 1
    above = np.triu(np.ones((last - first, last - first), dtype=bool))
    assert (seen[first:, first:][above] == 1).all()
    assert seen.max() == 1
