"""The Inception Score of posteriors known exactly."""

from __future__ import annotations

import pytest
import torch

from trainables.metrics.inception_score import InceptionScore
from trainables.metrics.pair import Pair

X = torch.zeros(200, 2)


def test_certain_and_even_is_the_number_of_classes_and_uncertain_is_one() -> None:
    certain = 100 * torch.nn.functional.one_hot(torch.arange(200) // 50, 4).float()  # sorted, as files are
    assert InceptionScore(splits=1).measure(Pair(X, X, logits=certain)).values[
        "inception_score"
    ] == pytest.approx(4.0, rel=1e-4)
    shuffled = InceptionScore(splits=4).measure(Pair(X, X, logits=certain)).values["inception_score"]
    assert shuffled > 3.5  # consecutive splits would hold a class each, and score 1
    even = InceptionScore().measure(Pair(X, X, logits=torch.zeros(200, 4)))
    assert even.values["inception_score"] == pytest.approx(1.0)


def test_more_splits_than_samples_are_as_many() -> None:
    logits = torch.randn(5, 3, generator=torch.Generator().manual_seed(0))
    scores = InceptionScore(splits=10).measure(Pair(X[:5], X[:5], logits=logits))
    assert scores.values["inception_score"] == pytest.approx(1.0)  # one sample each


def test_without_logits_there_is_a_sentence() -> None:
    scores = InceptionScore().measure(Pair(X, X))
    assert scores.values == {}
    assert scores.left_out == "the Inception Score needs class logits, which these features do not have"


def test_refusal() -> None:
    with pytest.raises(
        ValueError, match=r"^splits of metric inception_score must be positive and finite, got 0$"
    ):
        InceptionScore(splits=0)


def test_its_interval_is_about_endless_samples_and_withheld_where_the_bias_is_large() -> None:
    generator = torch.Generator().manual_seed(3)
    logits = 3 * torch.randn(300, 10, generator=generator)
    scores = InceptionScore().measure(Pair(X, X, logits=logits, draws=1))
    low, high = scores.intervals["inception_score"]
    large = InceptionScore().measure(Pair(X, X, logits=3 * torch.randn(20_000, 10, generator=generator)))
    assert low < large.values["inception_score"] < high
    assert scores.values["inception_score"] < low  # splits of 30 are too small by more than the error
    few = InceptionScore().measure(Pair(X, X, logits=3 * torch.randn(60, 300, generator=generator), draws=1))
    assert not few.intervals
    assert few.withheld["inception_score"].startswith("60 samples are few for so many classes")
    one = InceptionScore().measure(Pair(X, X, logits=logits[:1], draws=1))
    assert one.withheld == {"inception_score": "its interval needs at least 2 samples"}
