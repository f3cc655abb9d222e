"""The classifier's curve: full for sets it cannot tell apart, empty for sets it can."""

from __future__ import annotations

import pytest
import torch

from trainables.metrics.classifier import Classifier, confused
from trainables.metrics.learners import LEARNERS
from trainables.metrics.pair import Pair


def test_equal_laws_and_distant_ones() -> None:
    generator = torch.Generator().manual_seed(0)
    x, y = torch.randn(2, 400, 2, generator=generator)
    alike = Classifier().measure(Pair(x, y))
    apart = Classifier().measure(Pair(x, y + 20))
    for key, most in (("classifier.f8", 0.1), ("classifier.f1_8", 0.4), ("classifier.auc", 0.1)):
        assert alike.values[key] > 0.7
        assert apart.values[key] < most
    assert list(alike.curves) == ["classifier"]


def test_a_learner_that_sees_no_line_is_needed_where_there_is_none() -> None:
    x, y = torch.randn(2, 600, 2, generator=torch.Generator().manual_seed(4))
    areas = {
        name: Classifier(learner=name).measure(Pair(x, 4 * y)).values["classifier.auc"] for name in LEARNERS
    }
    assert max(areas["mlp"], areas["knn"]) < 0.4 < 0.6 < min(areas["ensemble"], areas["logistic"])


def test_a_learner_has_intervals_of_its_own() -> None:
    x, y = torch.randn(2, 120, 2, generator=torch.Generator().manual_seed(5))
    pair = Pair(x, y + 0.5, draws=1)
    found = {name: Classifier(learner=name).measure(pair) for name in ("ensemble", "knn")}
    for scores in found.values():
        for key, (low, high) in scores.intervals.items():
            assert 0 <= low < scores.values[key] < high <= 1
    assert found["ensemble"].intervals != found["knn"].intervals


def test_an_unknown_learner_is_told_with_those_there_are() -> None:
    told = "learner of metric classifier must be one of ensemble, logistic, mlp, knn, got 'svm'"
    with pytest.raises(ValueError, match=told):
        Classifier(learner="svm")  # type: ignore[arg-type]


def test_its_interval_needs_samples_for_groups() -> None:
    x, y = torch.randn(2, 31, 2, generator=torch.Generator().manual_seed(1))
    scores = Classifier().measure(Pair(x, y, draws=1))
    assert not scores.intervals
    assert (
        scores.withheld["classifier.auc"] == "its interval needs 32 samples on both sides; use more samples"
    )
    assert list(scores.curves) == ["classifier"]


def test_its_interval_is_in_range_and_holds_the_value() -> None:
    x, y = torch.randn(2, 200, 3, generator=torch.Generator().manual_seed(2))
    scores = Classifier().measure(Pair(x, y + 0.5, draws=1))
    for key, (low, high) in scores.intervals.items():
        assert 0 <= low < scores.values[key] < high <= 1
        assert scores.kinds[key] == "Wilson, design effect"


def test_its_interval_is_withheld_where_hardly_a_sample_is_confused() -> None:
    x, y = torch.randn(2, 200, 3, generator=torch.Generator().manual_seed(3))
    scores = Classifier().measure(Pair(x, y + 5, draws=1))
    assert not scores.intervals
    assert "of the held-out samples are taken for the other kind" in scores.withheld["classifier.f8"]
    near = Classifier().measure(Pair(x, y + 1, draws=1))
    assert set(near.intervals) == set(near.values)


def test_the_confused_are_counted_at_the_middle_of_the_curve() -> None:
    scores = Classifier().measure(Pair(torch.zeros(40, 2), torch.zeros(40, 2)))
    assert confused(scores.curves["classifier"], 40) == pytest.approx(20.0)
