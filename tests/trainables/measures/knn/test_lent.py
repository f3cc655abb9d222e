"""Panels that are lent hold what others hold, and no more memory than is in use at a time."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import torch

from tests.trainables.measures.knn.cases import case
from trainables.measures.knn.lent import Lent
from trainables.measures.knn.products import Points, tiles


def test_every_use_sees_its_own_piece_and_memory_is_used_again():
    (points,) = Points.together(torch.from_numpy(case("normal", 50, 5, 0)))
    pieces = tiles(50, 8)
    order = [at for at in range(len(pieces)) for _ in range(3)]
    lent = Lent(points, pieces, Counter(order))
    places = set()
    for at in order:
        with lent.panel(at) as panel:
            assert torch.equal(panel.points, points.panel(*pieces[at]).points)
            places.add(panel.points.data_ptr())
    assert len(places) == 1


def test_threads_share_a_panel_and_never_see_one_that_was_given_up():
    (points,) = Points.together(torch.from_numpy(case("normal", 400, 5, 0)))
    pieces = tiles(400, 8)
    order = [at for at in range(len(pieces)) for _ in range(5)]
    lent = Lent(points, pieces, Counter(order))
    expected = [points.panel(*piece).points.sum() for piece in pieces]

    def right(at: int) -> tuple[bool, int]:
        with lent.panel(at) as panel:
            return bool(panel.points.sum() == expected[at]), panel.points.data_ptr()

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(right, order))
    assert all(good for good, _ in found)
    assert len({place for _, place in found}) < len(pieces), "memory was used again"


def test_what_is_made_ahead_is_made_once(monkeypatch):
    (points,) = Points.together(torch.from_numpy(case("normal", 24, 5, 0)))
    made = []
    panel = Points.panel
    monkeypatch.setattr(
        Points, "panel", lambda self, start, *rest: (made.append(start), panel(self, start, *rest))[1]
    )
    lent = Lent(points, tiles(24, 8), {0: 1, 1: 2, 2: 1})
    lent.make(1)
    assert made == [8]
    for at in (1, 0, 1):
        with lent.panel(at):
            pass
    assert made == [8, 0]
