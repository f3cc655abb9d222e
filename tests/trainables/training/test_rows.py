"""States of trials: taken out whole, put back only where they fit."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from tests.trainables.training.trials import MLP, trial, varied
from trainables.constraints.spectral import Spectral
from trainables.objectives.obrs import Obrs
from trainables.training.population import Population
from trainables.training.rows import StateMisfit, TrialState


def test_states_at_different_iterations_are_refused() -> None:
    configs = varied(MLP)[:2]
    population = Population(configs)
    population.advance(2)
    early = population.state(0)
    population.advance(1)
    with pytest.raises(ValueError, match=r"one per trial at one iteration.* at iterations \[2, 3\]"):
        Population(configs, [early, population.state(1)])
    with pytest.raises(ValueError, match="got 1 for 2 trials"):
        Population(configs, [early])
    with pytest.raises(ValueError, match="got 0 for 2 trials"):
        Population(configs, [])


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda s: s.pop("critic_first"), "it lacks or should not have 'critic_first'"),
        (lambda s: s.update(extra=torch.zeros(1)), "it lacks or should not have 'extra'"),
        (
            lambda s: s.update(critic=torch.zeros(5)),
            r"its 'critic' is \(5,\) of torch.float32, the trial has",
        ),
        (lambda s: s.update(sides=torch.zeros(2, dtype=torch.int64)), "its 'sides' is .* of torch.int64"),
        (lambda s: s.update(constraint=torch.zeros(1)), r"its 'constraint' is \(1,\)"),
        (lambda s: s.update(objective=torch.zeros(1)), r"its 'objective' is \(1,\)"),
    ],
)
def test_a_state_that_does_not_fit_is_named(spoil: Callable[[TrialState], object], said: str) -> None:
    configs = [trial(seed=0), trial(constraint=Spectral(), seed=1)]
    states = Population(configs).states()
    spoil(states[1])
    with pytest.raises(StateMisfit, match=said) as raised:
        Population(configs, states)
    assert raised.value.index == 1


def test_states_of_all_trials_are_those_of_each() -> None:
    population = Population(varied(MLP)[:4])
    population.advance(3)
    for index, state in enumerate(population.states()):
        alone = population.state(index)
        assert state.keys() == alone.keys()
        for name, values in alone.items():
            assert torch.equal(state[name], values), name
            assert state[name].untyped_storage().nbytes() == values.numel() * values.element_size(), (
                "a row, not a view of all"
            )


def test_a_trial_with_a_memory_goes_on_exactly() -> None:
    objectives = [Obrs(every=4, delay=0.1), None, Obrs(budget=3.0, every=7, delay=0.0)]
    configs = [trial(objective=o, seed=i) for i, o in enumerate(objectives)]
    whole, first = Population(configs), Population(configs)
    whole.advance(12)
    first.advance(6)  # between two solutions of each
    states = first.states()
    assert [len(state["objective"]) for state in states] == [1, 0, 1]
    second = Population(configs, states)
    second.advance(6)
    for name, matrix in whole.matrices.items():
        assert torch.equal(second.matrices[name], matrix), name
    for one, other in zip(second.states(), whole.states(), strict=True):
        assert torch.equal(one["objective"], other["objective"])
    alone = Population(configs[2:])
    alone.advance(12)
    torch.testing.assert_close(
        alone.matrices["generator"][0], whole.matrices["generator"][2], rtol=1e-3, atol=1e-5
    )
    forgetful = [{**state, "objective": torch.full_like(state["objective"], 3.0)} for state in states]
    other = Population(configs, forgetful)
    other.advance(1)
    third = Population(configs, states)
    third.advance(1)
    assert not torch.equal(other.matrices["generator"][0], third.matrices["generator"][0])
    assert torch.equal(other.matrices["generator"][1], third.matrices["generator"][1])


def test_a_state_from_before_objectives_remembered_goes_on() -> None:
    population = Population([trial()])
    population.advance(3)
    old = population.state(0)
    del old["objective"]
    again = Population([trial()], [old])
    population.advance(3)
    again.advance(3)
    assert torch.equal(again.matrices["generator"], population.matrices["generator"])
