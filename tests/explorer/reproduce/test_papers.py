"""The papers are told apart, and every registered figure is of one of them."""

from __future__ import annotations

from explorer.reproduce import REPRODUCTIONS
from explorer.reproduce.papers import ORDER


def test_every_figure_is_of_a_known_paper_and_papers_come_in_order() -> None:
    assert len(set(ORDER)) == len(ORDER) == 4
    places = [ORDER.index(entry.paper) for entry in REPRODUCTIONS]
    assert places == sorted(places)
