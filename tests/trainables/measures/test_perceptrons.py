"""The ensemble of perceptrons: it sees what is not linear, balances classes, and repeats itself."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from trainables.measures.linear import LinearEnsemble
from trainables.measures.perceptrons import PerceptronEnsemble


def _wide_and_narrow(n: int, m: int, seed: int = 0) -> tuple[Tensor, Tensor]:
    """n samples of N(0, 4I) labelled 1 and m of N(0, I) labelled 0: log p/q = 3‖x‖²/8 - log 4 in the plane."""
    x = torch.randn(n + m, 2, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    x[:n] *= 2
    return x, torch.cat([torch.ones(n), torch.zeros(m)])


def _ranks(scores: Tensor) -> Tensor:
    return scores.double().argsort().argsort().double()


def test_a_log_ratio_that_is_no_line_is_followed_on_samples_it_has_not_seen() -> None:
    x, labels = _wide_and_narrow(1500, 1500)
    fresh, _ = _wide_and_narrow(500, 500, seed=1)
    truth = _ranks(fresh.square().sum(dim=1))
    found, line = (
        float(torch.corrcoef(torch.stack([_ranks(kind.fit(x, labels).scores(fresh)), truth]))[0, 1])
        for kind in (PerceptronEnsemble, LinearEnsemble)
    )
    assert found > 0.95
    assert abs(line) < 0.5


def test_both_classes_weigh_the_same_whatever_their_numbers() -> None:
    x = torch.randn(1560, 3, generator=torch.Generator().manual_seed(2))
    labels = torch.cat([torch.ones(60), torch.zeros(1500)])
    assert abs(float(PerceptronEnsemble.fit(x, labels).scores(x).mean())) < 0.5  # the odds are log 25 = 3.2


def test_laws_that_agree_are_not_told_apart() -> None:
    """Early stopping: with every sample learnt by heart held-out logits would be far from 0."""
    x = torch.randn(800, 20, generator=torch.Generator().manual_seed(3))
    labels = torch.cat([torch.ones(400), torch.zeros(400)])
    fresh = torch.randn(400, 20, generator=torch.Generator().manual_seed(4))
    assert float(PerceptronEnsemble.fit(x, labels).scores(fresh).abs().mean()) < 0.5


@pytest.mark.parametrize("count", [4, 5, 11])
def test_few_samples_are_enough(count: int) -> None:
    x, labels = _wide_and_narrow(count, 4)
    assert bool(PerceptronEnsemble.fit(x, labels).scores(x).isfinite().all())


def test_a_seed_repeats_the_members_and_another_draws_new_ones() -> None:
    x, labels = _wide_and_narrow(100, 100)
    first, again, other = (PerceptronEnsemble.fit(x, labels, seed=s).scores(x) for s in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_progress_rises_and_changes_nothing() -> None:
    x, labels = _wide_and_narrow(100, 100)
    heard: list[float] = []
    told = PerceptronEnsemble.fit(x, labels, progress=heard.append).scores(x)
    assert torch.equal(told, PerceptronEnsemble.fit(x, labels).scores(x))
    assert heard[0] == 0
    assert heard == sorted(heard)
    assert heard[-1] < 1
