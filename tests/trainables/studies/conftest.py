"""A population that several tests go on from."""

from __future__ import annotations

import pytest

from tests.trainables.studies.two_trials import CONFIGS
from trainables.training.population import Population


@pytest.fixture(scope="module")
def population() -> Population:
    """Both trials at their end."""
    trials = Population(CONFIGS)
    trials.advance(40)
    return trials
