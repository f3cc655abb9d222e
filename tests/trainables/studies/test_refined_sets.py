"""Sets of refined samples: draws are shared, calls are counted by set, shares are those of the law's modes."""

from __future__ import annotations

import pytest
import torch

from trainables.refinements.dot import Dot
from trainables.refinements.obrs import Obrs
from trainables.samplers.trained import Trained
from trainables.studies.gaussians25_gan import gaussians25_gan, gaussians25_law
from trainables.studies.refined_sets import Shared, Spread, refined_points, refined_sets, settled


@pytest.fixture(scope="module")
def model() -> Trained:
    return gaussians25_gan()


def test_shared_draws_are_the_models_own_and_made_once(model: Trained) -> None:
    shared = Shared(model)
    own, again = model.pools(5), shared.pools(5)
    first = next(again)
    torch.testing.assert_close(first.points, next(own).points)
    torch.testing.assert_close(next(again).points, next(own).points)
    assert next(shared.pools(5)) is first
    torch.testing.assert_close(next(shared.pools(5, first=1)).points, next(model.pools(5, first=1)).points)
    assert shared.shape == model.shape == (2,)


def test_sets_are_what_their_points_are(model: Trained) -> None:
    shared, law = Shared(model), gaussians25_law()
    constants = settled(shared, Obrs(), 2.0)
    found = refined_sets(shared, law, Obrs(), 2.0, constants, sets=2, size=400)
    draws = 0
    for at in range(2):
        points, ledger = refined_points(shared, Obrs(), 2.0, constants, 400, at)
        modes = law.modes(points)
        assert modes is not None
        assert float(found.precision[at]) == pytest.approx(float(modes.near.double().mean()))
        assert float(found.recall[at]) == pytest.approx(len(set(modes.nearest[modes.near].tolist())) / 25)
        assert (found.draws[at], found.scores[at], found.gradients[at]) == (ledger.draws, ledger.draws, 0)
        draws += ledger.draws
    assert found.acceptance == pytest.approx(800 / draws)
    assert found.cost(400).draws == pytest.approx(draws / 800)
    assert not torch.equal(found.draws[:1], found.draws[1:])  # each set has draws of its own


def test_moved_sets_cost_what_their_method_says(model: Trained) -> None:
    shared, method = Shared(model), Dot()
    constants = settled(shared, method, 2.5)
    found = refined_sets(shared, gaussians25_law(), method, 2.5, constants, sets=1, size=100)
    assert found.cost(100) == method.cost(2.5)
    assert found.acceptance == 1.0


def test_a_spread_has_the_error_of_its_mean() -> None:
    found = Spread.of(torch.tensor([1.0, 2.0, 3.0, 4.0]))
    assert (found.mean, found.deviation) == (2.5, pytest.approx(1.2910, abs=1e-4))
    assert found.error == pytest.approx(found.deviation / 2)
    assert Spread.of(torch.tensor([7.0])) == Spread(7.0, 0.0, 0.0)


def test_no_sets_are_refused(model: Trained) -> None:
    with pytest.raises(ValueError, match="at least one set of one sample, got 0 of 2500"):
        refined_sets(model, gaussians25_law(), Obrs(), 2.0, torch.zeros(1, 1), sets=0)
