"""What can be asked of trials where they stand, and what is refused as a pack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest
import torch

from tests.trainables.training.trials import FLOW, MLP, trial, varied
from trainables.config import TrialConfig
from trainables.datasets.gaussians8 import Gaussians8
from trainables.models import Model
from trainables.objectives.fgan import Gan
from trainables.randomness import Stream
from trainables.sources.source import Batch
from trainables.training.population import Population
from trainables.training.trials import Trials


def trained(model: Model) -> Trials:
    population = Population(varied(model))
    population.advance(5)
    return population


def test_trials_answer_as_the_population_that_trained_them() -> None:
    population = trained(FLOW)
    trials = Trials(population.configs, population.states())
    assert trials.iteration == 5
    x = trials.sample(50)
    assert torch.equal(x.x, population.sample(50).x)
    for ask in ("log_prob", "log_ratio", "logits"):
        assert torch.equal(getattr(trials, ask)(x), getattr(population, ask)(x)), ask


def test_unequal_shapes_and_empty_packs_are_refused() -> None:
    with pytest.raises(ValueError, match=r"equal shapes; group them by TrialConfig\.shape"):
        Trials([trial(MLP), trial(FLOW)])
    with pytest.raises(ValueError, match="equal shapes"):
        Trials([trial(), trial(batch_size=17)])
    with pytest.raises(ValueError, match="at least one trial"):
        Trials([])


def test_a_longer_draw_begins_with_the_shorter() -> None:
    population = trained(MLP)

    def points(count: int, step: int) -> torch.Tensor:
        return population.sample(count, step).x

    for draw in (points, population.accept_uniforms):
        torch.testing.assert_close(draw(3000, 4)[:, :100], draw(100, 4), rtol=0, atol=0)
        assert not torch.equal(draw(100, 4), draw(100, 5))
        assert len(draw(3000, 4)[0].flatten().unique()) > 2900
    assert population.sample(10).y is None


def test_density_and_ratio_do_not_depend_on_blocks() -> None:
    population = trained(FLOW)
    x = population.sample(2100)
    end = Batch(x.x[:, -60:])
    torch.testing.assert_close(population.log_prob(x)[:, -60:], population.log_prob(end))
    torch.testing.assert_close(
        population.log_ratio(x)[:, -60:], population.log_ratio(end), rtol=1e-4, atol=1e-5
    )


def test_logits_are_bounded_and_keep_their_order_and_slope() -> None:
    # 30 tanh(w/30): |logit| ≤ 30, slope at most 1, and 1 at 0; the logit of a gan is its log ratio.
    population = Trials([trial(MLP, Gan()), trial(MLP, Gan(), seed=1)])
    line = torch.linspace(-3, 3, 400)
    x = Batch(torch.stack((line, line), dim=1).expand(2, -1, -1))
    raw = population.critic(population.critic.unflatten(population.matrices["critic"]), {}, x.x).squeeze(-1)
    torch.testing.assert_close(population.log_ratio(x), 30 * torch.tanh(raw / 30))
    torch.testing.assert_close(population.log_ratio(x), raw, rtol=1e-3, atol=1e-5)  # near 0, as it is
    population.matrices["critic"].mul_(1e4)
    wild = population.log_ratio(x)
    assert bool((wild.abs() <= 30.0).all())
    assert float(wild.abs().max()) > 29
    assert torch.isfinite(wild.exp()).all()


def test_real_points_for_evaluation_are_not_those_of_training() -> None:
    population = Trials([trial(), trial(seed=1)])
    real = population.real(50, 7)
    assert real.x.shape == (2, 50, 2)
    torch.testing.assert_close(population.real(50, 7).x, real.x, rtol=0, atol=0)
    assert not torch.equal(population.real(50, 8).x, real.x)
    for stream in (Stream.REAL, Stream.LIKELIHOOD):
        trained_on = population.source.draw(population.noise, stream, 7, 50).x
        assert trained_on.shape == real.x.shape
        assert not torch.equal(trained_on, real.x), stream


@dataclass(frozen=True)
class Misdescribed(Gaussians8):
    """Says of its source what is not so."""

    name: ClassVar[str] = "misdescribed"


@pytest.mark.parametrize(
    ("what", "said", "sentence"),
    [
        ("shape", (3,), r"says its shape is \(3,\), but its source has \(2,\)"),
        ("classes", 10, "says its classes is 10, but its source has None"),
        ("has_law", False, "says has_law = False, but its source has an exact law"),
    ],
)
def test_a_dataset_whose_source_is_another_than_it_says_is_refused(
    what: str, said: object, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Misdescribed, what, said)
    with pytest.raises(ValueError, match=f"dataset 'misdescribed' {sentence}"):
        Trials([TrialConfig(dataset=Misdescribed())])
