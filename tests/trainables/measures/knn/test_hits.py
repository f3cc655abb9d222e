"""The short list of a tile is every entry below its row's or its column's limit, and nothing else."""

from __future__ import annotations

from dataclasses import fields

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trainables.measures.knn.bench import Bench
from trainables.measures.knn.hits import Hits, hits


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
