"""The short list of a tile is every entry below its row's or its column's limit, and nothing else."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trainables.measures.knn import hits as hits_module
from trainables.measures.knn.hits import Bench, Hits, hits
from trainables.measures.knn.products import Panel, lower_bounds


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 999), st.sampled_from([-1.0, 0.0, 3.0, 50.0]))
@settings(max_examples=60, deadline=None)
def test_hits_are_the_entries_below_a_limit(n, m, seed, limit):
    generator = torch.Generator().manual_seed(seed)
    tile = torch.randint(0, 50, (n, m), generator=generator).float()
    rows = torch.randint(-5, 5, (n,), generator=generator) + limit
    columns = torch.randint(-5, 5, (m,), generator=generator) + limit
    rows[0], columns[-1] = torch.inf, -torch.inf
    found = hits(tile, 0, 0, rows, columns, Bench())
    i, j, values = found.rows, found.columns, found.values
    expected = [(a, b) for a in range(n) for b in range(m) if tile[a, b] < rows[a] or tile[a, b] < columns[b]]
    assert list(zip(i.tolist(), j.tolist(), strict=True)) == expected  # in the order of the rows
    assert torch.equal(values, tile[i, j])


def test_an_entry_at_its_limit_is_no_hit():
    tile = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    none = hits(tile, 0, 0, torch.tensor([1.0, 3.0]), torch.tensor([0.0, 0.0]), Bench())
    assert len(none) == 0
    assert none.rows.tolist() == none.columns.tolist() == none.values.tolist() == []
    some = hits(tile, 0, 0, torch.tensor([1.0, 3.5]), torch.tensor([0.0, 4.5]), Bench())
    assert some.rows.tolist() == [0, 1, 1]
    assert some.columns.tolist() == [1, 0, 1]
    assert some.values.tolist() == [2.0, 3.0, 4.0]


def test_the_hits_of_several_tiles_are_those_of_the_whole():
    whole = torch.rand(30, 24, generator=torch.Generator().manual_seed(4))
    rows, columns = torch.full((30,), 0.2), torch.full((24,), 0.1)
    found = [
        hits(
            whole[top:bottom, left:right].contiguous(),
            top,
            left,
            rows[top:bottom],
            columns[left:right],
            Bench(),
        )
        for top, bottom in ((0, 11), (11, 30))
        for left, right in ((0, 7), (7, 24))
    ]
    joined = Hits.joined(found)
    assert (
        sorted(torch.stack([joined.rows, joined.columns], dim=1).tolist()) == (whole < 0.2).nonzero().tolist()
    )
    assert torch.equal(joined.values, whole[joined.rows, joined.columns])
    turned = joined.turned()
    assert torch.equal(turned.values, whole.T[turned.rows, turned.columns])
    parts = joined.split(5)
    assert [len(part) for part in parts[:-1]] == [5] * (len(parts) - 1)
    again = Hits.joined(parts)
    for field in fields(Hits):
        assert torch.equal(getattr(again, field.name), getattr(joined, field.name))


def test_tiles_are_read_in_strips(monkeypatch):
    generator = torch.Generator().manual_seed(0)
    tile, rows, columns = (torch.randn(size, generator=generator) for size in ((50, 9), (50,), (9,)))
    whole = hits(tile, 3, 5, rows, columns, Bench())
    monkeypatch.setattr("trainables.measures.knn.hits._STRIP", 30)
    strips = hits(tile, 3, 5, rows, columns, Bench())
    for field in fields(Hits):
        assert torch.equal(getattr(strips, field.name), getattr(whole, field.name))
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


@pytest.mark.parametrize("n", [5, 300, 801])
def test_a_square_is_the_tile_of_a_panel_with_itself(n):
    generator = torch.Generator().manual_seed(n)
    panel = Panel(torch.randn(16, n, generator=generator), torch.randn(n, generator=generator))
    expected = lower_bounds(panel, panel, torch.empty(n, n)).fill_diagonal_(torch.inf)
    found = Bench().square(panel)
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize(("first", "last"), [(0, 1024), (100, 999), (7, 40)])
def test_the_tiles_of_a_square_meet_every_pair_once(first, last):
    seen = np.zeros((last, last), dtype=int)
    for (start, stop), (left, right) in hits_module._triangle(first, last):
        seen[start:stop, left:right] += 1
    above = np.triu(np.ones((last - first, last - first), dtype=bool))
    assert (seen[first:, first:][above] == 1).all()
    assert seen.max() == 1
