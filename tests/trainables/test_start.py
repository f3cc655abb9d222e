"""A start names its base and what is taken from it; bases of one training have one kind."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trainables.config import TrainingConfig, TrialConfig
from trainables.datasets.gaussians25 import Gaussians25
from trainables.objectives.fgan import Gan
from trainables.start import Start, is_identity

BASE = TrialConfig(objective=Gan(), training=TrainingConfig(iterations=100))


def test_a_start_at_a_trial_carries_it_and_survives_as_plain_values() -> None:
    start = Start.at(BASE, "kept")
    assert (start.base, start.critic, start.config) == (BASE.identity(), "kept", BASE)
    assert Start.of(start.plain()) == start
    assert Start.of(start.plain()).config is None, "who trains it knows it"


def test_bases_of_one_training_are_of_one_kind() -> None:
    kinds = {
        Start.at(replace(BASE, seed=seed, dataset=data), "fresh").kind
        for seed in (0, 1)
        for data in (BASE.dataset, Gaussians25())
    }
    assert len(kinds) == 1
    longer = replace(BASE, training=TrainingConfig(iterations=101))
    assert Start.at(longer, "fresh").kind not in kinds
    assert Start("0123456789ab").kind == "0123456789ab", "nothing else is known of it"


@pytest.mark.parametrize("text", ["", "0123456789a", "0123456789abc", "0123456789aB", "base"])
def test_an_identity_is_twelve_hex_digits(text: str) -> None:
    assert not is_identity(text)
    with pytest.raises(ValueError, match="12 hex digits"):
        Start(text)


def test_a_critic_is_fresh_or_kept() -> None:
    with pytest.raises(ValueError, match=r"start\.critic must be fresh or kept, got 'new'"):
        Start("0123456789ab", "new")
