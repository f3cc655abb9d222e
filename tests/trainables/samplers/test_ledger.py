"""Every call of a stream is counted, once."""

from __future__ import annotations

import pytest

from tests.trainables.samplers.known_model import Known
from tests.trainables.samplers.streams import moving, stream
from trainables.refinements.moving import Moving
from trainables.refinements.obrs import Obrs
from trainables.refinements.rejection import Rejection
from trainables.samplers.constants import tuned
from trainables.samplers.ledger import Ledger
from trainables.samplers.refining import Refining


@moving
@pytest.mark.parametrize("budget", [1.0, 2.0, 5.5])
def test_calls_of_moves_are_counted_exactly(method: Moving, budget: float) -> None:
    constants = tuned(Known(), method, budget, 512, seed=1000)
    model = Known(64)
    points, ledger = stream(model, method, budget, 128, constants)
    assert len(points) == ledger.samples == 128
    cost = ledger.cost()
    assert cost == method.cost(budget)
    # What nobody asks for is not made: no draws as they are where latents are moved, no scores where none are needed.
    assert model.generated == ledger.draws
    assert model.scored == ledger.scores
    assert model.gradients == ledger.gradients
    assert ledger.acceptance == 1.0, "moved draws are kept, however many calls they took"


def test_plain_rejection_takes_at_most_k_draws() -> None:
    _, ledger = stream(Known(), Rejection(), 3.0, 2000)
    assert 2.0 < ledger.cost().draws <= 3.0


def test_the_clock_and_the_ledger_before_anything_is_asked() -> None:
    refining = Refining(Known(), Obrs(), 2.0, tuned(Known(), Obrs(), 2.0, 512, seed=1))
    assert refining.ledger == Ledger()
    assert refining.ledger.acceptance == 1.0
    list(refining.pieces(100))
    assert refining.ledger.seconds > 0
    once = refining.ledger.draws
    list(refining.pieces(100))
    assert (refining.ledger.draws, refining.ledger.samples) == (2 * once, 200), (
        "what was asked twice cost twice"
    )


def test_numbers_for_json_tell_the_whole_and_one_sample() -> None:
    ledger = Ledger(samples=200, draws=800, scores=400, gradients=100, seconds=0.5, chosen_from=800)
    assert ledger.acceptance == 0.25
    assert ledger.plain() == {
        "samples": 200,
        "draws": 800,
        "scores": 400,
        "gradients": 100,
        "seconds": 0.5,
        "per_sample": {"draws": 4.0, "scores": 2.0, "gradients": 0.5, "calls": 6.5, "seconds": 0.0025},
    }
    assert Ledger().plain()["per_sample"]["calls"] == 0, "nothing was given away, and nothing is divided by"
