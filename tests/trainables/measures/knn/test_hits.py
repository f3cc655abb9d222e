"""The short list of a tile is every entry below its row's or its column's limit, and nothing else."""

from __future__ import annotations

import tracemalloc
from dataclasses import fields

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trainables.measures.knn.bench import Bench
from trainables.measures.knn.hits import Entries, hits, lots, row_hits


def limits_of(n: int, m: int, seed: int, limit: float) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    tile = torch.randint(0, 50, (n, m), generator=generator).float()
    rows = torch.randint(-5, 5, (n,), generator=generator) + limit
    columns = torch.randint(-5, 5, (m,), generator=generator) + limit
    rows[0], columns[-1] = torch.inf, -torch.inf
    return tile, rows, columns


@given(
    st.integers(1, 40),
    st.integers(1, 40),
    st.integers(0, 999),
    st.sampled_from([-1.0, 0.0, 3.0, 50.0]),
    st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_hits_are_the_entries_below_a_limit(n, m, seed, limit, mirrored):
    tile, rows, columns = limits_of(n, m, seed, limit)
    if mirrored:  # the same numbers, held column by column
        tile = tile.T.contiguous().T
    of_rows, of_columns = hits(tile, 3, 70, rows, columns, Bench())
    expected = (tile < rows[:, None]).nonzero()  # in the order of the rows
    found = Entries.of([of_rows])
    assert torch.equal(torch.stack([found.rows - 3, found.columns - 70], dim=1), expected)
    assert torch.equal(found.values, tile[tuple(expected.T)])
    expected = (tile < columns).nonzero()
    found = Entries.of([of_columns])
    assert torch.equal(torch.stack([found.columns - 3, found.rows - 70], dim=1), expected)
    assert torch.equal(found.values, tile[tuple(expected.T)])
    alone = row_hits(tile, 3, 70, rows, Bench())
    assert torch.equal(alone.places, of_rows.places)
    assert torch.equal(alone.values, of_rows.values)


def test_an_entry_at_its_limit_is_no_hit():
    tile = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    for none in hits(tile, 0, 0, torch.tensor([1.0, 3.0]), torch.tensor([1.0, 2.0]), Bench()):
        assert len(none) == 0
        assert Entries.of([none]).rows.tolist() == none.values.tolist() == []
    of_rows, of_columns = hits(tile, 0, 0, torch.tensor([1.0, 3.5]), torch.tensor([0.0, 4.5]), Bench())
    assert (of_rows.places.tolist(), of_rows.values.tolist()) == ([2], [3.0])
    assert (of_columns.places.tolist(), of_columns.values.tolist()) == ([1, 3], [2.0, 4.0])


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
    everything = Entries.of([of_rows for of_rows, _ in found])
    assert sorted(zip(everything.rows.tolist(), everything.columns.tolist(), strict=True)) == [
        tuple(at) for at in (whole < 0.2).nonzero().tolist()
    ]
    assert torch.equal(everything.values, whole[everything.rows, everything.columns])
    mixed = Entries.of([part for pair in found for part in pair])  # those that are not turned come first
    upright = len(everything.values)
    for field in fields(Entries):
        assert torch.equal(getattr(mixed, field.name)[:upright], getattr(everything, field.name))
    turned = sorted(zip(mixed.columns[upright:].tolist(), mixed.rows[upright:].tolist(), strict=True))
    assert turned == [tuple(at) for at in (whole < 0.1).nonzero().tolist()]
    assert torch.equal(mixed.values[upright:], whole.T[mixed.rows[upright:], mixed.columns[upright:]])


@pytest.mark.parametrize("few", [0, 1])
def test_few_hits_do_not_keep_many_in_memory(few):
    """Everything is below the limit of its row, next to nothing below that of its column; or the other way round."""
    tile, high, low = torch.zeros(300, 300), torch.ones(300), torch.full((300,), -1.0)
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


@given(st.lists(st.integers(0, 30), min_size=1, max_size=8), st.integers(1, 40))
@settings(max_examples=60, deadline=None)
def test_lots_hold_all_entries_in_order_and_no_more_than_they_may(widths, size):
    tiles = [torch.zeros(1, max(1, width)) for width in widths]
    found = [
        row_hits(tile, at, 100 * at, torch.tensor([1.0 if width else -1.0]), Bench())
        for at, (tile, width) in enumerate(zip(tiles, widths, strict=True))
    ]
    whole, parts = Entries.of(found), list(lots(found, size))
    assert all(sum(map(len, lot)) <= size for lot in parts)
    again = [Entries.of(lot) for lot in parts]
    for field in fields(Entries):
        assert torch.equal(torch.cat([getattr(lot, field.name) for lot in again]), getattr(whole, field.name))
