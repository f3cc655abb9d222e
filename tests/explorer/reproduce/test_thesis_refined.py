"""Samples after refinement: near and far ones are told apart, and what the titles say is drawn."""

from __future__ import annotations

import re

import pytest
import torch

from explorer.reproduce.thesis_refined import DRAWN, Seen
from tests.explorer.reproduce.built import built
from trainables.studies.gaussians25_gan import gaussians25_law


def _titles(name: str) -> dict[str, float]:
    told = [note.text for note in built(name)[0].figure.layout.annotations]
    found = [re.fullmatch(r"(.+): ([\d.]+)% precise", text) for text in told]
    return {match[1]: float(match[2]) for match in found if match}


def test_points_are_near_a_mode_or_not() -> None:
    points = torch.tensor([[0.0, 0.0], [0.005, 0.0], [1.0, 1.29], [0.5, 0.5], [0.32, 0.0]])
    seen = Seen.of(points, gaussians25_law())
    assert seen.near.tolist() == [True, True, True, False, False]
    assert (seen.precision, seen.recall) == (pytest.approx(0.6), 2 / 25)
    assert seen.places == pytest.approx(0.8)  # two lie in one cell
    assert seen.title("x") == "x: 60.0% precise"


@pytest.mark.parametrize(("name", "panels"), [("thesis-6.7", 6), ("thesis-6.10", 3)])
def test_shares_in_titles_are_those_of_the_points(name: str, panels: int) -> None:
    titles, data = _titles(name), built(name)[0].figure.data
    assert len(titles) == panels
    assert len(data) == 2 * panels
    for at, share in enumerate(titles.values()):
        near, far = (len(data[2 * at + i].x) for i in (0, 1))
        assert near + far == DRAWN
        assert near / DRAWN == pytest.approx(share / 100, abs=0.035)  # of 2,500 samples the first are drawn


def test_refinements_come_in_their_order() -> None:
    shares = _titles("thesis-6.7")
    assert shares["OBRS"] > shares["DRS"] > shares["MH-GAN"] > shares["baseline"]


def test_with_many_steps_dgflow_becomes_precise_and_dot_gathers_where_l_is_small() -> None:
    shares = _titles("thesis-6.10")
    assert shares["DGflow"] > 98
    assert shares["DOT, 0.1 L"] > shares["DOT"] + 10
    places = [
        float(one.computed) for one in built("thesis-6.10")[0].numbers if one.what.startswith("cells of side")
    ]
    dot, less, _ = places
    assert less < 0.75 * dot
