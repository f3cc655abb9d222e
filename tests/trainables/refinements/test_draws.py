"""What a refinement is given: one model as a stack of one, and a stack as its models."""

from __future__ import annotations

import torch

from tests.trainables.refinements.known_pair import log_ratio, proposals, stacked
from trainables.refinements.draws import Proposals


def test_one_model_is_a_stack_of_one() -> None:
    one = proposals(300)
    together = one.stacked()
    assert together.points.shape == (1, 300, 1)
    (again,) = together.one_by_one()
    for name in ("points", "log_ratio", "uniform", "real"):
        assert torch.equal(getattr(again, name), getattr(one, name)), name
    assert together.blocks is one.blocks


def test_a_stack_is_its_models_in_their_order() -> None:
    alone = [proposals(50, seed) for seed in (1, 2, 3)]
    for one, own in zip(alone, stacked(alone).one_by_one(), strict=True):
        for name in ("points", "log_ratio", "uniform", "real"):
            assert torch.equal(getattr(own, name), getattr(one, name)), name


def test_draws_without_real_points_stay_without() -> None:
    bare = Proposals(torch.zeros(3, 2), torch.zeros(3), torch.ones(3))
    assert bare.stacked().real is None
    (again,) = bare.stacked().one_by_one()
    assert again.real is None
    assert again.blocks is None


def test_blocks_are_the_first_draws_and_can_be_made_again() -> None:
    pool = proposals(600).stacked()
    assert pool.blocks is not None
    blocks = list(pool.blocks(550))
    assert torch.equal(torch.cat([block.points for block in blocks], dim=1), pool.points[:, :550])
    for block in blocks:
        assert torch.equal(block.generate(block.latent), block.points)
        assert torch.equal(block.log_ratio(block.points), log_ratio(block.points))
        assert block.normal(2).shape == block.latent.shape
        assert torch.equal(block.normal(2), block.normal(2))
        assert not torch.equal(block.normal(2), block.normal(3))
