"""The smallest entries of every row, in chunks and tile by tile, are those of a full sort."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trainables.measures.knn import selection
from trainables.measures.knn.hits import Bench
from trainables.measures.knn.products import tiles
from trainables.measures.knn.selection import Smallest, smallest


@given(st.integers(1, 9), st.integers(1, 200), st.integers(1, 12), st.integers(2, 9), st.booleans())
@settings(max_examples=80, deadline=None)
def test_chunked_selection_is_a_full_sort(n, m, c, chunk, turned):
    generator = torch.Generator().manual_seed(n * 1000 + m)
    tile = torch.randint(0, 50, (n, m), generator=generator).float()
    if turned:
        tile = tile.T.contiguous().T
    values, columns = smallest(tile, c, chunk)
    expected = tile.sort(dim=1).values[:, : min(c, m)]
    assert torch.equal(values.sort(dim=1).values, expected)
    assert torch.equal(tile.gather(1, columns), values)
    assert all(len(set(row)) == len(row) for row in columns.tolist())


def test_running_candidates_meet_every_tile():
    whole = torch.rand(7, 300, generator=torch.Generator().manual_seed(0))
    found = Smallest(7, 5, torch.device("cpu"))
    for start, stop in tiles(300, 64):
        found.update(0, whole[:, start:stop], start)
    assert torch.equal(found.values.sort(dim=1).values, whole.sort(dim=1).values[:, :5])
    assert torch.equal(whole.gather(1, found.columns), found.values)


def test_wide_tiles_take_the_chunked_path():
    assert selection._CHUNK * 2 * 5 < 2000
    tile = torch.rand(6, 2011, generator=torch.Generator().manual_seed(1))
    assert torch.equal(smallest(tile, 5)[0].sort(dim=1).values, tile.sort(dim=1).values[:, :5])


def test_candidates_start_at_infinity_and_rows_are_met_apart():
    found = Smallest(3, 2, torch.device("cpu"), torch.float64)
    found.update(1, torch.tensor([[5.0, 4.0, 6.0]], dtype=torch.float64), 10)
    assert found.values[0].tolist() == found.values[2].tolist() == [torch.inf, torch.inf]
    assert sorted(zip(found.values[1].tolist(), found.columns[1].tolist(), strict=True)) == [
        (4.0, 11),
        (5.0, 10),
    ]


@given(
    st.integers(20, 90),
    st.integers(1, 14),
    st.integers(4, 30),
    st.sampled_from(["noise", "ties", "nearer and nearer"]),
)
@settings(max_examples=60, deadline=None)
def test_half_of_a_symmetric_matrix_serves_rows_and_columns(n, c, side, kind):
    whole = torch.rand(n, n, generator=torch.Generator().manual_seed(n))
    if kind == "ties":
        whole = (whole * 4).floor()
    elif kind == "nearer and nearer":  # every tile holds what no tile before it held
        whole = whole - torch.arange(n) - torch.arange(n)[:, None]
    whole = (whole + whole.T).fill_diagonal_(torch.inf)
    found = Smallest(n, c, torch.device("cpu"))
    pieces = tiles(n, side)
    for at, (first, last) in enumerate(pieces):
        found.update(first, whole[first:last, first:last], first)
        for start, stop in pieces[:at]:
            found.update_both(start, whole[start:stop, first:last].contiguous(), first, Bench())
    found.settle(0)
    assert torch.equal(found.values.sort(dim=1).values, whole.sort(dim=1).values[:, :c])
    assert torch.equal(whole.gather(1, found.columns), found.values)
    assert torch.equal(found.limits, found.values.amax(dim=1))
    assert all(len(set(row)) == len(row) for row in found.columns.tolist())


def test_threads_may_bring_the_tiles():
    n, c = 300, 6
    whole = torch.rand(n, n, generator=torch.Generator().manual_seed(3))
    whole = (whole + whole.T).fill_diagonal_(torch.inf)
    pieces = tiles(n, 30)
    found = Smallest(n, c, torch.device("cpu"), starts=[start for start, _ in pieces])

    def bring(at: tuple[tuple[int, int], tuple[int, int]]) -> None:
        (start, stop), (first, last) = at
        if start == first:
            found.update(start, whole[start:stop, first:last], first)
        else:
            found.update_both(start, whole[start:stop, first:last].contiguous(), first, bench)

    bench = Bench()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(bring, [(a, b) for b in pieces for a in pieces if a <= b]))
        list(pool.map(found.settle, range(len(pieces))))
    assert torch.equal(found.values.sort(dim=1).values, whole.sort(dim=1).values[:, :c])
    assert torch.equal(whole.gather(1, found.columns), found.values)


def test_a_tile_with_few_hits_is_not_selected_from(monkeypatch):
    """Once limits are known, the costly selection over whole tiles is not called."""
    whole = torch.rand(64, 640, generator=torch.Generator().manual_seed(2))
    found = Smallest(640, 3, torch.device("cpu"))
    found.update(0, whole[:, 64:], 64)
    found.limits[64:] = 0.0
    monkeypatch.setattr(selection, "smallest", lambda *_: pytest.fail("the tile was selected from"))
    found.update_both(0, whole[:, 64:128] * 0.5, 64, Bench())
    found.settle(0)
    assert float(found.limits[:64].max()) <= float(whole[:, 64:].topk(3, largest=False).values.max())
