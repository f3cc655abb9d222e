"""Pieces, tiles and strips: everything is met once, in pieces that suit the machine."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.trainables.measures.knn.cases import case
from trainables.measures.knn import cut
from trainables.measures.knn.cut import Cut
from trainables.measures.knn.products import Points


@pytest.mark.parametrize("kind", ["normal", "offset"])
def test_a_cut_set_has_a_panel_for_every_piece(kind, monkeypatch):
    monkeypatch.setattr(cut, "_CPU_SIDE", 17)
    (points,) = Points.together(torch.from_numpy(case(kind, 50, 6, 0)))
    made = Cut.of(points)
    assert [index for start, stop in made.pieces for index in range(start, stop)] == list(range(50))
    assert max(stop - start for start, stop in made.pieces) <= 17
    for panel, piece in zip(made.panels, made.pieces, strict=True):
        assert torch.equal(panel.points, points.panel(*piece).points)
        assert np.array_equal(panel.bounds, points.panel(*piece).bounds)
    whole = {panel.points.untyped_storage().data_ptr() for panel in made.panels}
    assert len(whole) == 1, "in one stretch of memory"


def test_a_tile_fits_the_cache_of_a_cpu():
    """And small sets have a few tiles for every thread."""
    cpu = torch.device("cpu")
    side = cut._tile_side(10**6, cpu)
    assert side**2 * 4 <= 4 << 20
    assert cut._tile_side(100, cpu) == 256
    across = 900 / cut._tile_side(900, cpu)
    assert side >= cut._tile_side(900, cpu)
    assert across**2 / 2 >= 3 * torch.get_num_threads() or across >= 900 / 256


@pytest.mark.parametrize(("device", "small"), [("cpu", True), ("cuda", False)])
def test_the_last_tile_of_every_thread_is_cut_and_everything_is_met_once(device, small):
    rows, columns = [(0, 48), (48, 112), (112, 262)], [(0, 7), (7, 9)]
    pairs = [(i, j) for i in range(3) for j in range(2)]
    seen = np.zeros((262, 9), dtype=int)
    found = cut.strips(pairs, rows, torch.device(device))
    for i, j, top, bottom in found:
        seen[rows[i][0] + top : rows[i][0] + bottom, slice(*columns[j])] += 1
    assert (seen == 1).all()
    last = [(top, bottom) for i, j, top, bottom in found if (i, j) == (2, 1)]
    assert len(last) == (4 if small else 1)
    assert all(top % 16 == 0 for top, _ in last)
    assert len(found) == 6 or small
    assert len(cut.strips(pairs, rows, torch.device(device), ending=False)) == 6, "others come after them"
