"""Constants of budgets, and the sentences where a ratio cannot give them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import inf, nan

import pytest
import torch

from tests.trainables.samplers.known_model import Known, of_ratios
from tests.trainables.samplers.streams import CHOOSING, choosing, every, moving, stream
from trainables.refinements.budgeted import Budgeted
from trainables.refinements.choosing import Choosing
from trainables.refinements.dgflow import DGFlow
from trainables.refinements.dot import Dot
from trainables.refinements.drs import Drs
from trainables.refinements.hard_truncation import HardTruncation
from trainables.refinements.mh import MetropolisHastings
from trainables.refinements.moving import Moving
from trainables.refinements.obrs import Obrs
from trainables.refinements.rejection import Rejection
from trainables.samplers.constants import tuned
from trainables.samplers.pool import Pool
from trainables.samplers.refining import Refining


@choosing
def test_constants_are_those_of_so_many_draws_in_blocks_of_any_size(method: Choosing) -> None:
    log_ratio = torch.randn(1000, generator=torch.Generator().manual_seed(2))
    log_ratio[700] = 50.0
    for block in (64, 333, 5000):
        for draws in (1, 500, 900, 5000):
            expected = method.constants(log_ratio[None, :draws], 3.0)
            assert torch.equal(tuned(of_ratios(log_ratio, block), method, 3.0, draws, seed=0), expected)


@pytest.mark.parametrize("method", [Obrs(), DGFlow()], ids=lambda m: m.name)
def test_a_ratio_that_is_not_known_is_asked_for(method: Budgeted) -> None:
    class Unscored(Known):
        def pools(self, seed: int, first: int = 0) -> Iterator[Pool]:
            return (replace(pool, scored=None) for pool in super().pools(seed, first))

    with pytest.raises(ValueError, match=r".") as refusal:
        tuned(Unscored(), method, 2.0, 100, seed=0)
    assert str(refusal.value) == (
        f"refinement '{method.name}' needs the ratio of the densities, and none is known; give a critic or scores"
    )
    points, _ = stream(Unscored(), HardTruncation(), 2.0, 100)
    assert float(points.abs().max()) < 0.68, "what asks no critic needs none"


def test_a_ratio_that_is_no_number_is_refused_wherever_it_turns_up() -> None:
    values = torch.zeros(500)
    values[[3, 470]] = nan
    said = r"^the log ratio must be a number at every draw, got NaN at {} of {}; the critic diverged, or its scores"
    for method in (Obrs(), Drs(), Rejection(), MetropolisHastings()):
        with pytest.raises(ValueError, match=said.format(2, 500)):
            tuned(of_ratios(values), method, 2.0, 500, seed=0)
        constants = tuned(of_ratios(torch.zeros(500)), method, 2.0, 500, seed=0)
        with pytest.raises(ValueError, match=said.format(1, 100)):
            stream(of_ratios(values, 100), method, 2.0, 400, constants)
    wrong = Known(ratio=lambda x: nan * x.sum(-1))
    for method in (Dot(), DGFlow()):
        with pytest.raises(ValueError, match=said.format(256, 256)):
            tuned(wrong, method, 2.0, 500, seed=0)
    assert tuned(wrong, HardTruncation(), 2.0, 500, seed=0).shape == (1, 0), "which asks no critic"


def test_a_ratio_that_is_zero_everywhere_is_refused() -> None:
    said = "^the ratio is 0 at all 300 draws: every budget rejects everything; the critic holds all samples for imp"
    for method in CHOOSING.values():
        with pytest.raises(ValueError, match=said):
            tuned(of_ratios(torch.full((300,), -inf)), method, 2.0, 300, seed=0)


@every
def test_what_is_no_budget_of_the_method_is_refused(method: Budgeted) -> None:
    said = "^budget K must be ≥ 1, got {}; use K=1 to accept every sample$"
    for budget in (0.5, nan, inf):
        with pytest.raises(ValueError, match=said.format(f"{budget:g}")):
            tuned(Known(), method, budget, 100, seed=0)
        with pytest.raises(ValueError, match=said.format(f"{budget:g}")):
            Refining(Known(), method, budget, torch.zeros(1, 0))
    for ask in (
        lambda: tuned(Known(), method, 2 * method.largest, 100, seed=0),
        lambda: Refining(Known(), method, 2 * method.largest, torch.zeros(1, 0)),
    ):
        with pytest.raises(
            ValueError, match=r"^budget K must be at most [\d,]+, got \d+; use a smaller one$"
        ):
            ask()


@moving
def test_draws_without_networks_cannot_be_moved(method: Moving) -> None:
    said = (
        f"^refinement '{method.name}' moves draws by calling the networks, and only draws are at hand; use one that "
        "chooses among draws, such as obrs$"
    )
    given_draws = of_ratios(torch.zeros(300))
    with pytest.raises(ValueError, match=said):
        tuned(given_draws, method, 2.0, 300, seed=0)
    with pytest.raises(ValueError, match=said):
        stream(given_draws, method, 2.0, 10, torch.zeros(1, 0))
