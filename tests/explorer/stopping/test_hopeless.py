"""Each way of being beyond help is named, and only after it has lasted."""

from __future__ import annotations

import pytest

from explorer.stopping.hopeless import Hopeless
from trainables.evaluation.reading import Evaluation

WELL = {"sample_spread": 0.9, "critic_saturation": 0.0, "lam_below": 0.4, "lam_inert": 0.0}


def series(*diagnostics: dict[str, float]) -> list[Evaluation]:
    return [Evaluation(100 * i, False, diagnostics={**WELL, **own}) for i, own in enumerate(diagnostics, 1)]


@pytest.mark.parametrize(
    ("state", "sick"),
    [
        ("collapsed", {"sample_spread": 0.002}),
        ("critic saturated", {"critic_saturation": 1.0}),
        ("starved", {"lam_below": 0.0}),
        ("constraint violated", {"constraint_excess": 0.02}),
    ],
)
def test_a_state_that_lasts_ends_the_trial_by_its_name(state: str, sick: dict[str, float]) -> None:
    stopper = Hopeless(patience=2)
    histories = {
        "well": series({}, {}),
        "once": series({}, sick),
        "over": series(sick, {}),
        "sick": series(sick, sick),
    }
    ended = stopper.stop(histories, ())
    assert list(ended) == ["sick"]
    assert ended["sick"].startswith(state)


def test_different_states_in_turn_do_not_add_up() -> None:
    turns = series({"sample_spread": 0.0}, {"critic_saturation": 1.0})
    assert Hopeless(patience=2).stop({"a": turns}, ()) == {}


def test_before_lam_trains_nothing_starves() -> None:
    warming = [Evaluation(100, False, diagnostics={"lam_below": 0.0})] * 3
    assert Hopeless(patience=2).stop({"a": warming}, ()) == {}


def test_patience_is_positive() -> None:
    with pytest.raises(ValueError, match="patience must be ≥ 1"):
        Hopeless(patience=0)
