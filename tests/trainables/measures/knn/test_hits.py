"""The short list of a tile is every entry below its row's or its column's limit, and nothing else."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trainables.measures.knn.hits import Bench, hits, places
from trainables.measures.knn.products import Panel, lower_bounds


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 999), st.sampled_from([-1.0, 0.0, 3.0, 50.0]))
@settings(max_examples=60, deadline=None)
def test_hits_are_the_entries_below_a_limit(n, m, seed, limit):
    generator = torch.Generator().manual_seed(seed)
    tile = torch.randint(0, 50, (n, m), generator=generator).float()
    rows = torch.randint(-5, 5, (n,), generator=generator) + limit
    columns = torch.randint(-5, 5, (m,), generator=generator) + limit
    rows[0], columns[-1] = torch.inf, -torch.inf
    i, j, values = places(tile, hits(tile, rows, columns, Bench()))
    expected = [(a, b) for a in range(n) for b in range(m) if tile[a, b] < rows[a] or tile[a, b] < columns[b]]
    assert list(zip(i.tolist(), j.tolist(), strict=True)) == expected  # in the order of the rows
    assert torch.equal(values, tile[i, j])


def test_an_entry_at_its_limit_is_no_hit():
    tile = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert hits(tile, torch.tensor([1.0, 3.0]), torch.tensor([0.0, 0.0]), Bench()).tolist() == []
    assert hits(tile, torch.tensor([1.0, 3.5]), torch.tensor([0.0, 4.5]), Bench()).tolist() == [1, 2, 3]


def test_tiles_are_read_in_strips(monkeypatch):
    generator = torch.Generator().manual_seed(0)
    tile, rows, columns = (torch.randn(size, generator=generator) for size in ((50, 9), (50,), (9,)))
    whole = hits(tile, rows, columns, Bench())
    monkeypatch.setattr("trainables.measures.knn.hits._STRIP", 30)
    assert torch.equal(hits(tile, rows, columns, Bench()), whole)
    assert len(whole) > 0


def test_a_bench_serves_tiles_of_all_sizes_and_every_thread_has_its_own():
    bench, generator = Bench(), torch.Generator().manual_seed(0)
    for n, m in ((5, 7), (9, 4), (2, 3), (20, 11)):
        left, right = (
            Panel(*(torch.randn(size, generator=generator) for size in ((6, k), k))) for k in (n, m)
        )
        expected = lower_bounds(left, right, torch.empty(n, m))
        assert torch.equal(bench.tile(left, right), expected)
        assert [mask.shape for mask in bench.masks(n, m)] == [(n, m)] * 2
    mine = bench.tile(left, right)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(bench.tile, left, Panel(-right.points, right.bounds)).result()
    assert torch.equal(mine, expected)
