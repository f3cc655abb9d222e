"""The short list of a tile is every entry below its row's or its column's limit, and nothing else."""

from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trainables.measures.knn.hits import hits, places


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 999), st.sampled_from([-1.0, 0.0, 3.0, 50.0]))
@settings(max_examples=60, deadline=None)
def test_hits_are_the_entries_below_a_limit(n, m, seed, limit):
    generator = torch.Generator().manual_seed(seed)
    tile = torch.randint(0, 50, (n, m), generator=generator).float()
    rows = torch.randint(-5, 5, (n,), generator=generator) + limit
    columns = torch.randint(-5, 5, (m,), generator=generator) + limit
    rows[0], columns[-1] = torch.inf, -torch.inf
    i, j = places(hits(tile, rows, columns), m)
    expected = [(a, b) for a in range(n) for b in range(m) if tile[a, b] < rows[a] or tile[a, b] < columns[b]]
    assert list(zip(i.tolist(), j.tolist(), strict=True)) == expected  # in the order of the rows


def test_an_entry_at_its_limit_is_no_hit():
    tile = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert hits(tile, torch.tensor([1.0, 3.0]), torch.tensor([0.0, 0.0])).tolist() == []
    assert hits(tile, torch.tensor([1.0, 3.5]), torch.tensor([0.0, 4.5])).tolist() == [1, 2, 3]
