"""A genetic search has a population that does not follow the number of trials."""

from __future__ import annotations

import warnings

import pytest

from explorer.search.nsga2 import Nsga2
from explorer.search.nsga3 import Nsga3


@pytest.mark.parametrize("kind", [Nsga2, Nsga3])
def test_a_population_has_two_at_least_and_is_the_same_for_any_trials(kind: type[Nsga2 | Nsga3]) -> None:
    with pytest.raises(ValueError, match=r"search\.population must be ≥ 2, got 1"):
        kind(trials=5, population=1)
    assert kind(trials=5).population == kind(trials=5000).population
    assert kind(trials=5, population=7).startup == 7
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert kind(trials=5, population=7).sampler(3).population_size == 7  # type: ignore[attr-defined]
