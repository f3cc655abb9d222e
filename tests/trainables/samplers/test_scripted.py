"""A user's own generator and critic give the draws of a seed, and every refinement refines them."""

from __future__ import annotations

import gc
import weakref
from itertools import islice
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from tests.trainables.samplers.scripts import (
    Batched,
    Constant,
    Critic,
    Generator,
    Images,
    Judge,
    Noisy,
    Stopped,
    saved,
)
from trainables.refinements import REFINEMENTS
from trainables.refinements.budgeted import Budgeted
from trainables.refinements.dgflow import DGFlow
from trainables.refinements.dot import Dot
from trainables.refinements.moving import Moving
from trainables.refinements.obrs import Obrs
from trainables.samplers.constants import tuned
from trainables.samplers.pool import Pool
from trainables.samplers.refining import Refining
from trainables.samplers.scripted import Scripted
from trainables.samplers.steps import BLOCK, IMAGES

METHODS = [kind() for kind in REFINEMENTS.loaded().values() if issubclass(kind, Budgeted)]
TOWARDS = {"obrs", "drs", "rejection", "mh", "dot", "dgflow"}


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Scripted:
    """Q = N(0, 1) and P = N(1, 1)."""
    folder = tmp_path_factory.mktemp("known")
    return Scripted(saved(Generator(), folder / "g.pt"), saved(Critic(), folder / "c.pt"))


def first(model: Scripted, seed: int = 0, block: int = 0) -> Pool:
    return next(model.pools(seed, block))


def test_draws_are_normal_and_their_ratio_is_the_critics(known: Scripted) -> None:
    pool = first(known)
    assert (known.shape, known.latent, known.span) == ((1,), (1,), None)
    assert pool.points.shape == (BLOCK, 1)
    assert abs(float(pool.points.mean())) < 0.1
    assert float(pool.points.std()) == pytest.approx(1, abs=0.1)
    assert pool.log_ratio is not None
    torch.testing.assert_close(pool.log_ratio, pool.points[:, 0] - 0.5)
    assert pool.classes is None
    assert ((pool.uniform > 0) & (pool.uniform <= 1)).all()


@pytest.mark.parametrize("generator", [Generator(), Noisy(), Batched()], ids=lambda g: type(g).__name__)
def test_equal_seeds_give_equal_draws_from_any_block_on(generator: nn.Module, tmp_path: Path) -> None:
    model = Scripted(saved(generator, tmp_path / "g.pt"), saved(Critic(), tmp_path / "c.pt"))
    runs = [
        list(islice(model.pools(seed, begin), 3 - begin)) for seed, begin in ((4, 0), (4, 0), (4, 1), (5, 0))
    ]
    for one, other in zip(runs[0][1:], runs[2], strict=True):
        assert torch.equal(one.points, other.points)
        assert torch.equal(one.uniform, other.uniform)
    assert all(torch.equal(a.points, b.points) for a, b in zip(*runs[:2], strict=True))
    assert not torch.equal(runs[0][0].points, runs[3][0].points)
    assert not torch.equal(runs[0][0].points, runs[0][1].points)
    block = runs[0][0].block
    assert block is not None
    assert torch.equal(block.generate(block.latent), block.points)
    assert torch.equal(block.normal(3), block.normal(3))
    assert block.normal(3).shape == block.latent.shape
    assert not torch.equal(block.normal(3), block.normal(4))


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@pytest.mark.parametrize("budget", [1.0, 1.5, 4.0])
def test_every_refinement_refines_it(known: Scripted, method: Budgeted, budget: float) -> None:
    constants = tuned(known, method, budget, 4096, seed=1)
    stream = Refining(known, method, budget, constants, seed=2)
    samples = torch.cat([piece.points for piece in stream.pieces(3000)])
    assert samples.shape == (3000, 1)
    again = Refining(known, method, budget, constants, seed=2).pieces(3000)
    assert torch.equal(samples, torch.cat([piece.points for piece in again]))
    draws = torch.cat([pool.points for pool in islice(known.pools(2), 2)])[:3000]
    if budget == 1:
        assert torch.equal(samples, draws)
    elif method.name in TOWARDS and budget == 4:
        assert float(samples.mean() - draws.mean()) > (0.004 if isinstance(method, Moving) else 0.1)


def test_flows_move_latents_and_transport_moves_samples_along_the_critic(known: Scripted) -> None:
    for method in (DGFlow(rate=0.1, noise=0.0), Dot(rate=0.2)):
        block = first(known).block
        assert block is not None
        moved = method.moved(block, method.constants(block), 2.0)
        assert ((moved - block.points) > 0).all()


def test_without_a_critic_truncation_works_and_rejection_says_what_is_missing(tmp_path: Path) -> None:
    model = Scripted(saved(Generator(), tmp_path / "g.pt"))
    assert first(model).log_ratio is None
    for name in ("soft_truncation", "hard_truncation"):
        method = REFINEMENTS[name]()
        stream = Refining(model, method, 4.0, tuned(model, method, 4.0, 100, 0))
        assert float(torch.cat([p.points for p in stream.pieces(1000)]).std()) < 0.5
    with pytest.raises(ValueError, match="'obrs' needs the ratio"):
        tuned(model, Obrs(), 2.0, 100, 0)
    with pytest.raises(ValueError, match="'dot' needs the ratio"):
        tuned(model, Dot(), 2.0, 100, 0)


def test_no_block_is_held_once_it_was_used(known: Scripted) -> None:
    held: list[weakref.ref[Tensor]] = []
    for pool in islice(known.pools(0), 8):
        held.append(weakref.ref(pool.points))
        del pool
        gc.collect()
        assert sum(one() is not None for one in held) <= 2


def test_images_pass_a_few_at_a_time_and_become_bytes(tmp_path: Path) -> None:
    model = Scripted(saved(Images(), tmp_path / "g.pt"), saved(Judge(), tmp_path / "c.pt"))
    assert (model.latent, model.shape, model.step, model.span) == ((4, 1, 1), (1, 8, 8), IMAGES, (-1, 1))
    shown = model.shown(first(model).points)
    assert model._generator._module.most == IMAGES
    assert (shown.dtype, shown.shape) == ("uint8", (BLOCK, 1, 8, 8))
    assert (shown.min(), shown.max()) == (0, 255)
    darker = Scripted(tmp_path / "g.pt", span=(-2, 2))
    assert darker.shown(first(model).points).min() > 50


def test_what_depends_on_a_batch_gets_whole_blocks_or_is_refused(tmp_path: Path) -> None:
    batched = saved(Batched(), tmp_path / "batched.pt")
    model = Scripted(batched, latent=[7, 1, 1])
    assert model.step == BLOCK
    assert first(model).points.std() == pytest.approx(1, abs=1e-4), "a block at a time"
    generator = saved(Generator(), tmp_path / "g.pt")
    with pytest.raises(ValueError, match="a score changes with the samples beside it; call eval"):
        Scripted(generator, batched)
    with pytest.raises(ValueError, match="a score changes with random numbers"):
        Scripted(generator, saved(Noisy(), tmp_path / "noisy.pt"))


class Wide(nn.Module):
    def forward(self, z: Tensor) -> Tensor:
        return z.sum(1)


def test_what_cannot_be_sampled_is_refused_in_one_sentence(tmp_path: Path) -> None:
    generator, critic = saved(Generator(), tmp_path / "g.pt"), saved(Critic(), tmp_path / "c.pt")
    with pytest.raises(
        ValueError, match="does not say how many numbers a latent has; give latent, such as 128"
    ):
        Scripted(critic)
    with pytest.raises(ValueError, match="must be numbers ≥ 1, got 0"):
        Scripted(generator, latent=0)
    with pytest.raises(ValueError, match=r"it failed: .*; give the shape of one latent"):
        Scripted(saved(nn.Linear(3, 2), tmp_path / "three.pt"), latent=2)
    with pytest.raises(ValueError, match=r"must return samples \(m, \*shape\), got \(32,\)"):
        Scripted(saved(Wide(), tmp_path / "wide.pt"), latent=2)
    with pytest.raises(ValueError, match="must make finite samples, but 32 of 32"):
        Scripted(saved(Constant(float("nan")), tmp_path / "nan.pt"), latent=2)
    with pytest.raises(ValueError, match=r"scores of the critic .* must be numbers, but 32 of 32 are NaN"):
        Scripted(generator, tmp_path / "nan.pt")
    with pytest.raises(
        ValueError, match=r"must return one score per sample, \(m,\) or \(m, 1\), got \(32, 3\)"
    ):
        Scripted(generator, saved(Constant(0.0, 3), tmp_path / "three_scores.pt"))
    with pytest.raises(ValueError, match="to be read as probability"):
        Scripted(generator, critic, scores="probability")
    with pytest.raises(ValueError, match=r"points must be samples of shape \(1,\), got \(2,\)"):
        Scripted(generator, critic).log_ratio_at(torch.zeros(5, 2))


def test_probabilities_are_the_same_ratio(known: Scripted, tmp_path: Path) -> None:
    critic = saved(nn.Sequential(Critic(), nn.Sigmoid()), tmp_path / "c.pt")
    model = Scripted(saved(Generator(), tmp_path / "g.pt"), critic, scores="probability")
    one, other = first(model).log_ratio, first(known).log_ratio
    assert one is not None
    assert other is not None
    torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)


def test_a_generator_without_gradients_is_refused_by_those_that_climb_them(tmp_path: Path) -> None:
    model = Scripted(saved(Stopped(), tmp_path / "g.pt"), saved(Critic(), tmp_path / "c.pt"))
    for method in (Obrs(), Dot(), REFINEMENTS["soft_truncation"]()):
        stream = Refining(model, method, 2.0, tuned(model, method, 2.0, 2048, 0))
        assert sum(len(piece.points) for piece in stream.pieces(100)) == 100
    flow = Refining(model, DGFlow(), 4.0, tuned(model, DGFlow(), 4.0, 2048, 0))
    with pytest.raises(ValueError, match="must let gradients through"):
        list(flow.pieces(100))
