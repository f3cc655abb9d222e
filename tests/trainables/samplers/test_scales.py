"""Scores on any of the scales stand for the same log ratio."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from trainables.samplers.scales import SCALES, check_scores, log_ratio_of

LOG_RATIO = torch.linspace(-6, 6, 49)
WRITTEN = {"logit": LOG_RATIO, "probability": LOG_RATIO.sigmoid(), "ratio": LOG_RATIO.exp()}


@pytest.mark.parametrize("scale", SCALES)
def test_the_log_ratio_comes_back_with_its_gradient(scale: Any) -> None:
    scores = WRITTEN[scale].clone().requires_grad_()
    found = log_ratio_of(scores, scale)
    torch.testing.assert_close(found.detach(), LOG_RATIO, rtol=1e-3, atol=1e-3)
    (slope,) = torch.autograd.grad(found.sum(), scores)
    assert (slope > 0).all()
    check_scores(WRITTEN[scale], scale, "scores")


def test_probabilities_at_their_ends_stay_numbers() -> None:
    found = log_ratio_of(torch.tensor([0.0, 1.0]), "probability")
    assert found.tolist() == pytest.approx([-16.64, 16.64], abs=0.1)
    assert log_ratio_of(torch.tensor([0.0]), "ratio").tolist() == [-torch.inf]


@pytest.mark.parametrize(
    ("scores", "scale", "told"),
    [
        ([0.0, float("nan")], "logit", "must be numbers, but 1 of 2 are NaN"),
        (
            [0.2, 1.5],
            "probability",
            r"must be in \[0, 1\] to be read as probability, got values from 0.2 to 1.5",
        ),
        ([-1.0, 1.5], "ratio", "must be ≥ 0 to be read as ratio"),
        ([0.5], "odds", "one of logit, probability, ratio, got 'odds'"),
    ],
)
def test_scores_that_are_none_are_refused(scores: list[float], scale: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        check_scores(torch.tensor(scores), scale, "scores of a.csv")
