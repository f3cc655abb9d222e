"""Random groups: cuts that are cuts, and a design effect that is the one known in closed form."""

from __future__ import annotations

import numpy as np
import pytest

from trainables.measures.groups import DesignEffect, cuts, design_effect


def test_every_round_is_a_cut_of_both_sets() -> None:
    rounds = list(cuts(17, 11, 3, 4, np.random.default_rng(0)))
    assert len(rounds) == 4
    for groups in rounds:
        assert [(len(i), len(j)) for i, j in groups] == [(6, 4), (6, 4), (5, 3)]
        assert sorted(np.concatenate([i for i, _ in groups])) == list(range(17))
        assert sorted(np.concatenate([j for _, j in groups])) == list(range(11))
    assert not np.array_equal(rounds[0][0][0], rounds[1][0][0])


def test_ratio_of_variances_by_hand() -> None:
    values = np.array([[0.1, 0.3], [0.5, 0.5]])  # variances 0.02 and 0
    effect = design_effect(values, np.full((2, 2), 0.002), least=1e-6)
    assert effect.ratio == pytest.approx(5.0)
    assert effect.freedom == 2


def test_groups_that_agree_have_the_floor_and_no_division_by_zero() -> None:
    assert design_effect(np.ones((3, 2)), np.zeros((3, 2)), least=1e-4).ratio == 1.0
    assert design_effect(np.ones((3, 2)), np.zeros((3, 2)), least=1e-4, floor=0.25).ratio == 0.25
    assert design_effect(np.eye(2), np.zeros((2, 2)), least=0.1).ratio == pytest.approx(5.0)
    with pytest.raises(ValueError, match="at least 2 groups, got 1"):
        design_effect(np.ones((3, 1)), np.ones((3, 1)), least=1.0)


@pytest.mark.parametrize("clump", [1, 4])
def test_clumped_shares(clump: int) -> None:
    """Samples that come in clumps of equal values: the design effect of their mean is the size of a clump."""
    rng = np.random.default_rng(1)
    ratios = []
    for _ in range(40):
        clumps = rng.random(240) < 0.3
        groups = [clumps[i].repeat(clump) for i, _ in next(cuts(240, 240, 3, 1, rng))]
        means = np.array([[group.mean() for group in groups]])
        plain = np.array([[group.var(ddof=1) / len(group) for group in groups]])
        ratios.append(design_effect(means, plain, least=1e-9, floor=0.0).ratio)
    assert np.mean(ratios) == pytest.approx(clump, rel=0.4)


def test_the_effect_of_all_samples_grows_with_what_exceeds_one() -> None:
    assert DesignEffect(1.0, 5).of_all(16, 0.5) == 1.0
    assert DesignEffect(0.5, 5).of_all(16, 0.5) == 0.5
    assert DesignEffect(4.0, 5).of_all(4, 0.5) == pytest.approx(7.0)
    assert DesignEffect(4.0, 5).of_all(4, 0.0) == 4.0
