"""The short lists of a tile are every entry below its row's or its column's limit, and nothing else."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from dataclasses import fields

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from trainables.measures.knn.bench import Bench
from trainables.measures.knn.hits import Entries, hits, lots, row_hits
from trainables.measures.knn.numbers import Numbers

Read = Callable[[Tensor], Numbers]
KINDS: tuple[Read, Read] = (Tensor.numpy, Tensor.clone)
"""As arrays, which a CPU reads, and as tensors, which a GPU does."""


def in_torch(entries: Entries) -> Entries:
    return Entries(*(torch.as_tensor(getattr(entries, field.name)) for field in fields(Entries)))


@given(
    st.integers(1, 40),
    st.integers(1, 40),
    st.integers(0, 999),
    st.sampled_from([-1.0, 0.0, 3.0, 50.0]),
    st.booleans(),
    st.sampled_from(KINDS),
)
@settings(max_examples=120)
def test_hits_are_the_entries_below_a_limit(n, m, seed, limit, mirrored, read):
    generator = torch.Generator().manual_seed(seed)
    tile = torch.randint(0, 50, (n, m), generator=generator).float()
    rows = torch.randint(-5, 5, (n,), generator=generator) + limit
    columns = torch.randint(-5, 5, (m,), generator=generator) + limit
    rows[0], columns[-1] = torch.inf, -torch.inf
    if mirrored:  # the same numbers, held column by column
        tile = tile.T.contiguous().T
    of_rows, of_columns = hits(read(tile), 3, 70, read(rows), read(columns), Bench())
    expected = (tile < rows[:, None]).nonzero()  # in the order of the rows
    found = in_torch(Entries.of([of_rows]))
    assert torch.equal(torch.stack([found.rows - 3, found.columns - 70], dim=1), expected)
    assert torch.equal(found.values, tile[tuple(expected.T)])
    expected = (tile < columns).nonzero()
    found = in_torch(Entries.of([of_columns]))
    assert torch.equal(torch.stack([found.columns - 3, found.rows - 70], dim=1), expected)
    assert torch.equal(found.values, tile[tuple(expected.T)])
    alone = row_hits(read(tile), 3, 70, read(rows), Bench())
    assert np.array_equal(alone.places, of_rows.places)
    assert np.array_equal(alone.values, of_rows.values)


@pytest.mark.parametrize("read", KINDS)
def test_an_entry_at_its_limit_is_no_hit(read):
    def found(rows: list[float], columns: list[float]) -> list[tuple[list[int], list[float]]]:
        limits = (read(torch.tensor(limits)) for limits in (rows, columns))
        return [(part.places.tolist(), part.values.tolist()) for part in hits(tile, 0, 0, *limits, Bench())]

    tile = read(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    assert found([1.0, 3.0], [1.0, 2.0]) == [([], []), ([], [])]
    assert found([1.0, 3.5], [0.0, 4.5]) == [([2], [3.0]), ([1, 3], [2.0, 4.0])]


@pytest.mark.parametrize("read", KINDS)
def test_the_hits_of_several_tiles_are_those_of_the_whole(read):
    whole = torch.rand(30, 24, generator=torch.Generator().manual_seed(4))
    rows, columns = torch.full((30,), 0.2), torch.full((24,), 0.1)
    found = [
        hits(
            read(whole[top:bottom, left:right].contiguous()),
            top,
            left,
            read(rows[top:bottom]),
            read(columns[left:right]),
            Bench(),
        )
        for top, bottom in ((0, 11), (11, 30))
        for left, right in ((0, 7), (7, 24))
    ]
    everything = in_torch(Entries.of([of_rows for of_rows, _ in found]))
    assert sorted(zip(everything.rows.tolist(), everything.columns.tolist(), strict=True)) == [
        tuple(at) for at in (whole < 0.2).nonzero().tolist()
    ]
    assert torch.equal(everything.values, whole[everything.rows, everything.columns])
    mixed = in_torch(Entries.of([part for pair in found for part in pair]))
    upright = len(everything.values)  # those that are not turned come first
    for field in fields(Entries):
        assert torch.equal(getattr(mixed, field.name)[:upright], getattr(everything, field.name))
    turned = sorted(zip(mixed.columns[upright:].tolist(), mixed.rows[upright:].tolist(), strict=True))
    assert turned == [tuple(at) for at in (whole < 0.1).nonzero().tolist()]
    assert torch.equal(mixed.values[upright:], whole.T[mixed.rows[upright:], mixed.columns[upright:]])


@pytest.mark.parametrize("few", [0, 1])
def test_few_hits_do_not_keep_many_in_memory(few):
    """Everything is below the limit of its row, next to nothing below that of its column; or the other way round."""
    tile, high, low = np.zeros((300, 300), np.float32), np.ones(300), np.full(300, -1.0)
    low[7] = 1.0
    limits, bench = ((high, low), (low, high))[1 - few], Bench()
    hits(tile, 0, 0, *limits, bench)
    tracemalloc.start()
    try:
        kept = [hits(tile, 0, 0, *limits, bench)[few] for _ in range(5)]
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert {len(found) for found in kept} == {300}
    assert held < 300_000, "the many are 12 bytes times 90,000, five times"


@given(st.lists(st.integers(0, 30), min_size=1, max_size=8), st.integers(1, 40), st.sampled_from(KINDS))
@settings(max_examples=60)
def test_lots_hold_all_entries_in_order_and_no_more_than_they_may(widths, size, read):
    found = [
        row_hits(
            read(torch.zeros(1, max(1, width))),
            at,
            100 * at,
            read(torch.tensor([1.0 if width else -1.0])),
            Bench(),
        )
        for at, width in enumerate(widths)
    ]
    whole, parts = in_torch(Entries.of(found)), list(lots(found, size))
    assert all(sum(map(len, lot)) <= size for lot in parts)
    again = [in_torch(Entries.of(lot)) for lot in parts]
    for field in fields(Entries):
        assert torch.equal(torch.cat([getattr(lot, field.name) for lot in again]), getattr(whole, field.name))
