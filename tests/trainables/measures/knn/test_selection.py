"""The smallest entries of every row, in chunks and tile by tile, are those of a full sort."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trainables.measures.knn.bench import Bench
from trainables.measures.knn.hits import Hits
from trainables.measures.knn.products import tiles
from trainables.measures.knn.selection import Smallest, _smallest_of_rows


def expect_smallest(found: Smallest, whole: torch.Tensor) -> None:
    """The candidates are those of a full sort."""
    c, values, columns = found.c, torch.as_tensor(found.values), torch.as_tensor(found.columns)
    assert torch.equal(values.sort(dim=1).values, whole.sort(dim=1).values[:, :c])
    assert torch.equal(whole.gather(1, columns.long()), values)
    assert all(len(set(row)) == len(row) for row in found.columns.tolist())


@given(
    st.integers(1, 9),
    st.integers(1, 200),
    st.integers(1, 12),
    st.sampled_from(["noise", "ties", "one value"]),
    st.booleans(),
    st.sampled_from([torch.float32, torch.float64]),
)
@settings(max_examples=80)
def test_candidates_of_one_tile_are_those_of_a_full_sort(n, m, c, kind, turned, dtype):
    generator = torch.Generator().manual_seed(n * 1000 + m)
    values = {"noise": 2**20, "ties": 5, "one value": 1}[kind]
    tile = torch.randint(0, values, (n, m), generator=generator).to(dtype)
    if turned:
        tile = tile.T.contiguous().T
    c = min(c, m)
    found = Smallest(n, c, torch.device("cpu"), dtype)
    found.update(0, tile, 0, Bench())
    found.settle(0)
    expect_smallest(found, tile)


def test_running_candidates_meet_every_tile():
    whole = torch.rand(7, 300, generator=torch.Generator().manual_seed(0))
    found = Smallest(7, 5, torch.device("cpu"))
    for start, stop in tiles(300, 64):
        found.update(0, whole[:, start:stop], start, Bench())
    found.settle(0)
    expect_smallest(found, whole)


def test_candidates_start_at_infinity_and_rows_are_met_apart():
    found = Smallest(3, 2, torch.device("cpu"), torch.float64)
    found.update(1, torch.tensor([[5.0, 4.0, 6.0]], dtype=torch.float64), 10, Bench())
    found.settle(0)
    assert found.values[0].tolist() == found.values[2].tolist() == [torch.inf, torch.inf]
    assert sorted(zip(found.values[1].tolist(), found.columns[1].tolist(), strict=True)) == [
        (4.0, 11),
        (5.0, 10),
    ]


def test_the_first_tile_of_a_piece_limits_its_rows():
    """The limit lets at least c entries of a row through, and few more."""
    tile = torch.rand(6, 2000, generator=torch.Generator().manual_seed(1))
    found = Smallest(6, 5, torch.device("cpu"))
    found._limit(0, 0, tile)
    below = (tile < torch.as_tensor(found.limits)[:, None]).sum(dim=1)
    assert int(below.min()) >= 5
    assert int(below.max()) <= 20
    before = found.limits.copy()
    found._limit(0, 0, tile - 1)
    assert np.array_equal(found.limits, before), "once is enough: from then on candidates set them"


@given(
    st.integers(20, 90),
    st.integers(1, 14),
    st.integers(4, 30),
    st.sampled_from(["noise", "ties", "nearer and nearer"]),
)
@settings(max_examples=60)
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
        found.update(first, whole[first:last, first:last], first, Bench())
        for start, stop in pieces[:at]:
            found.update_both(start, whole[start:stop, first:last].contiguous(), first, Bench())
    found.settle(0)
    expect_smallest(found, whole)
    assert (found.limits <= found.values.max(axis=1)).all()


@pytest.mark.parametrize("n", [3, 70_000])
def test_places_of_the_smallest_of_every_row(n):
    """Rows beyond 16 bits too."""
    generator = torch.Generator().manual_seed(5)
    values = torch.rand(3 * n, generator=generator)
    held, others = (
        values[: 2 * n].view(n, 2),
        values[2 * n :],
    )  # two of every row, and one more in an order of its own
    mixed = torch.randperm(n, generator=generator)
    whole = torch.cat([held, torch.empty(n, 1).index_copy_(0, mixed, others[:, None])], dim=1)
    for numbers in (torch.Tensor.numpy, torch.Tensor.clone):  # arrays, and tensors as on a GPU
        kept = torch.as_tensor(_smallest_of_rows(numbers(mixed), numbers(values), n, 2))
        assert torch.equal(values[kept], whole.sort(dim=1).values[:, :2])


def test_threads_may_bring_the_tiles():
    n, c = 300, 6
    whole = torch.rand(n, n, generator=torch.Generator().manual_seed(3))
    whole = (whole + whole.T).fill_diagonal_(torch.inf)
    pieces = tiles(n, 30)
    found = Smallest(n, c, torch.device("cpu"), starts=[start for start, _ in pieces])

    def bring(at: tuple[tuple[int, int], tuple[int, int]]) -> None:
        (start, stop), (first, last) = at
        if start == first:
            found.update(start, whole[start:stop, first:last], first, bench)
        else:
            found.update_both(start, whole[start:stop, first:last].contiguous(), first, bench)

    bench = Bench()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(bring, [(a, b) for b in pieces for a in pieces if a <= b]))
        list(pool.map(found.settle, range(len(pieces))))
    expect_smallest(found, whole)


def test_a_tile_with_few_hits_is_not_selected_from(monkeypatch):
    """The costly selection over whole tiles is left to tiles of many equal entries."""
    monkeypatch.setattr(Smallest, "_nearest", lambda *_: pytest.fail("the tile was selected from"))
    whole = torch.rand(640, 640, generator=torch.Generator().manual_seed(2)).fill_diagonal_(torch.inf)
    whole = torch.minimum(whole, whole.T)
    found = Smallest(640, 3, torch.device("cpu"), starts=[0, 320])
    found.update(0, whole[:320, :320], 0, Bench())
    found.update_both(0, whole[:320, 320:].contiguous(), 320, Bench())
    found.update(320, whole[320:, 320:], 320, Bench())
    for piece in range(2):
        found.settle(piece)
    expect_smallest(found, whole)


def test_a_tile_of_equals_costs_no_more_than_what_is_kept(monkeypatch):
    """Every entry is as small as the limit; only c per row wait."""
    waited = []
    wait = Smallest._wait

    def listen(self: Smallest, piece: int, found: Hits) -> None:
        waited.append(len(found))
        wait(self, piece, found)

    monkeypatch.setattr(Smallest, "_wait", listen)
    found = Smallest(200, 4, torch.device("cpu"), starts=[0, 100])
    found.update_both(0, torch.zeros(100, 100), 100, Bench())
    assert waited == [400, 400]
    for piece in range(2):
        found.settle(piece)
    assert np.unique(found.values).tolist() == [0.0]
