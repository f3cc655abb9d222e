"""A sampler draws what was evaluated, and keeps one draw in K."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.trainables.samplers.trained import TAGGED, Trained, of_config, sampler, trained
from trainables.randomness import Noise
from trainables.samplers.sampler import OWN, Sampler
from trainables.samplers.steps import LEAST
from trainables.samplers.turns import OutOfTime
from trainables.sources.source import Batch
from trainables.training.population import Population


@pytest.fixture(scope="module")
def tagged(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    folder = tmp_path_factory.mktemp("own")
    (folder / "tagged.py").write_text(TAGGED)
    return trained("tagged", folder)


@pytest.mark.parametrize("kind", ["points", "flow", "held", "lam"])
def test_the_same_seed_draws_the_samples_that_were_evaluated(kind: str) -> None:
    population, evaluation, file = trained(kind)
    drawn = sampler(file).draw(3000, seed=3)
    expected = population.sample(3000, population.iteration).x[0]
    np.testing.assert_allclose(drawn.samples, expected.numpy(), rtol=1e-5, atol=1e-5)
    assert (drawn.draws, drawn.classes) == (3000, None)
    read = evaluation.readings[0].samples
    assert read is not None
    np.testing.assert_allclose(drawn.samples[: len(read)], read, rtol=1e-5, atol=1e-5)


MIXING = """
from dataclasses import dataclass

import torch
from torch import nn

from trainables.models import Model


class Hazy(nn.Module):
    def __init__(self, width, out):
        super().__init__()
        self.linear = nn.Linear(width, out)
        self.norm = nn.BatchNorm1d(out, affine=False, track_running_stats=False)

    def forward(self, x):
        return {answer}


@dataclass(frozen=True)
class Mixing(Model):
    name = "{name}"
    latent: int = 3

    def build_generator(self, shape, classes):
        return {generator}

    def build_critic(self, shape, classes):
        return {critic}
"""
PLAIN = "nn.Sequential(nn.Dropout(0.1), nn.Linear({}, {}))"
HAZY = "Hazy({}, {})"
RANDOM, BATCH = "self.linear(x) + 0.3 * torch.randn_like(self.linear(x))", "self.norm(self.linear(x))"


@pytest.mark.parametrize(
    ("name", "answer", "generator", "critic", "whole"),
    [
        ("noisy", RANDOM, HAZY, PLAIN, True),
        ("judged", RANDOM, PLAIN, HAZY, True),
        ("batched", BATCH, HAZY, PLAIN, True),
        ("dropped", "x", PLAIN, PLAIN, False),
    ],
)
def test_draws_that_depend_on_those_beside_them_are_made_with_them(
    tmp_path: Path, name: str, answer: str, generator: str, critic: str, whole: bool
) -> None:
    text = MIXING.format(
        name=name, answer=answer, generator=generator.format(3, 2), critic=critic.format(2, 1)
    )
    (tmp_path / f"{name}.py").write_text(text)
    changes = {"plugins": [name], "model": {"name": name}, "evaluation": {"samples": 600}}
    _, evaluation, file = of_config(changes, tmp_path)
    made = sampler(file)
    assert made._whole is whole
    read = evaluation.readings[0].samples
    assert read is not None
    plain = made.draw(3000, seed=3).samples
    np.testing.assert_allclose(plain[: len(read)], read, rtol=1e-4, atol=1e-4)
    for budget in (1.0, 2.0):
        few, more = (made.draw(count, budget, seed=3).samples for count in (40, 3000))
        np.testing.assert_allclose(few, more[:40], rtol=1e-4, atol=1e-4)


def test_images_are_bytes_between_black_and_white() -> None:
    population, _, file = trained("images")
    drawn = sampler(file).draw(20, seed=3).samples
    assert (drawn.dtype, drawn.shape) == (np.uint8, (20, 1, 8, 8))
    low, high = population.source.span or (0.0, 1.0)
    expected = 255 * (population.sample(20, population.iteration).x[0].clamp(low, high) - low) / (high - low)
    assert np.abs(drawn - expected.numpy()).max() <= 0.5 + 1e-3


@pytest.mark.parametrize("kind", ["points", "flow", "images"])
@pytest.mark.parametrize("budget", [1.5, 2.0, 4.0])
def test_one_draw_in_k_is_kept(kind: str, budget: float) -> None:
    _, evaluation, file = trained(kind)
    count = 4000
    drawn = sampler(file).draw(count, budget, seed=7)
    share = 1 / budget
    # The constant is that of so many other draws, whose acceptances vary at most as coins do.
    assert evaluation.ratios is not None
    known = len(evaluation.ratios.values)
    error = math.sqrt(share * (1 - share) * (1 / drawn.draws + 1 / known))
    assert abs(count / drawn.draws - share) < 3 * error
    assert len(drawn.samples) == count


def test_a_budget_buys_the_samples_that_the_refinement_keeps() -> None:
    population, _, file = trained("points")
    made = sampler(file)
    kept = torch.from_numpy(made.draw(4000, 4.0, seed=1).samples)
    plain = torch.from_numpy(made.draw(4000, seed=1).samples)
    assert _mean_ratio(population, kept) > _mean_ratio(population, plain)


def _mean_ratio(population: Population, points: torch.Tensor) -> float:
    return float(population.log_ratio(Batch(points[None])).mean())


def test_a_class_is_asked_for_and_its_budget_is_kept(tagged: Trained) -> None:
    made = sampler(tagged.file)
    assert made.classes == 10
    drawn = made.draw(2000, 2.0, seed=5, label=4)
    assert drawn.classes is not None
    assert set(drawn.classes.tolist()) == {4}
    assert abs(2000 / drawn.draws - 0.5) < 0.05
    free = made.draw(2000, seed=5).classes
    assert free is not None
    counts = np.bincount(free, minlength=10)
    assert counts.min() > 60


def test_a_class_of_few_evaluated_draws_keeps_its_budget(tagged: Trained) -> None:
    made = sampler(tagged.file)
    generator = (
        made._generator
    )  # as if classes were far apart for the critic, as they are after a longer training
    generator["classes.weight"] = generator["classes.weight"] + torch.linspace(-2, 2, 10)[None, :, None]
    for label in (0, 4, 9):
        drawn = made.draw(4000, 2.0, seed=5, label=label)
        # The constant is that of other draws of the class, whose acceptances vary at most as coins do.
        error = math.sqrt(0.25 * (1 / drawn.draws + 1 / OWN))
        assert abs(4000 / drawn.draws - 0.5) < 3 * error, label


def test_draws_that_a_constant_stands_on_are_made_once_and_are_nobodys_samples(tagged: Trained) -> None:
    made, other = sampler(tagged.file), sampler(tagged.file)
    first = made.draw(50, 2.0, seed=3, label=4)  # the trial's own seed
    kept = made._of_class[4]
    assert sum(map(len, kept)) == OWN
    made.draw(50, 3.0, seed=1, label=4)
    assert made._of_class[4] is kept
    plain = other._of_class.setdefault(4, [])
    tries = [0]

    @contextmanager
    def turn() -> Iterator[None]:
        tries[0] += 1
        if tries[0] > 1:
            raise OutOfTime
        yield

    other.step = 1024
    with pytest.raises(OutOfTime):
        other.draw(50, 2.0, seed=3, label=4, turn=turn)
    assert len(plain) == 1, "what was made before time was over is there the next time"
    assert first.draws < 200
    assert not set(torch.cat(kept).tolist()) & set(_ratios(made, 4))


def _ratios(made: Sampler, label: int) -> list[float]:
    """Of the first draws of a class with the trial's own seed."""
    networks = made._networks.with_noise(Noise(torch.tensor([3])))
    (block,) = made._made(networks, made.first, 200, label, nullcontext)
    found: list[float] = made.log_ratio(networks, block.points, block.given).tolist()
    return found


def test_few_samples_take_few_draws_and_seeds_differ() -> None:
    made = sampler(trained("points")[2])
    assert made.draw(1, 2.0, seed=1).draws < 30
    assert (made.draw(5, seed=1).samples != made.draw(5, seed=2).samples).any()
    assert (made.draw(5, 2.0, seed=1).samples == made.draw(5, 2.0, seed=1).samples).all()


@pytest.mark.parametrize("kind", ["points", "images", "lam"])
def test_draws_are_the_same_however_many_are_made_at_a_time(kind: str) -> None:
    made, parts = sampler(trained(kind).file), sampler(trained(kind).file)
    parts.step = 37
    for budget in (1.0, 3.0):
        one, other = (each.draw(700, budget, seed=4) for each in (made, parts))
        assert one.draws == other.draws
        np.testing.assert_allclose(
            one.samples, other.samples, rtol=1e-4, atol=1e-4 if kind != "images" else 1
        )


def test_turns_are_short_and_time_that_is_over_tells_what_was_kept() -> None:
    made, turns = sampler(trained("images").file), [0]

    @contextmanager
    def turn() -> Iterator[None]:
        turns[0] += 1
        if turns[0] > 20:
            raise OutOfTime
        yield

    made.step = LEAST
    with pytest.raises(OutOfTime) as caught:
        made.draw(2000, 2.0, seed=1, turn=turn)
    assert 0 < caught.value.kept <= 10 * LEAST


def test_a_critic_that_refuses_all_is_told() -> None:
    made = sampler(trained("points")[2])
    made._ratios = torch.full_like(made._ratios, 80.0)  # as if its draws had been far better than these
    made._scale = 0.0
    with pytest.raises(ValueError, match="but kept 0 of"):
        made.draw(10, 2.0)


def test_the_plugin_file_is_the_users(tagged: Trained) -> None:
    assert Path(type(tagged.population.configs[0].model).__module__).name == "tagged"
