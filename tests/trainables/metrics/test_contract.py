"""Every metric: keys of its own, values within their bounds, best for equal sets, intervals only when asked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.trainables.family_contract import (
    check_every_name_is_listed,
    check_imports_without_torch,
    check_member,
)
from trainables.datasets.gaussians8 import Gaussians8
from trainables.evaluation.diagnostics import COSTS, DIAGNOSTICS
from trainables.metrics import METRICS, Entry, Metric, every_metric, everyday_metrics
from trainables.metrics.classes import ClassCoverage
from trainables.metrics.classifier import Classifier
from trainables.metrics.frechet import Frechet
from trainables.metrics.frontier import DivergenceFrontier
from trainables.metrics.inception_score import InceptionScore
from trainables.metrics.kernel import Kernel
from trainables.metrics.modes import ModesOfLaw
from trainables.metrics.neighbours import Neighbours
from trainables.metrics.pair import Pair
from trainables.metrics.pr_cover import PRCover
from trainables.metrics.prd import Prd
from trainables.randomness import Noise, Stream

MEMBERS: list[Metric] = [
    Neighbours(),
    Frechet(),
    ModesOfLaw(),
    PRCover(factor=2),
    Kernel(),
    Prd(clusters=8, runs=2),
    Classifier(),
    DivergenceFrontier(),
    InceptionScore(splits=2),
    ClassCoverage(),
]
WITHOUT_INTERVALS = {"modes", "classes"}
NEED_NOT_HOLD_THE_VALUE = {"fid", "inception_score", "prd.f8", "prd.f1_8", "prd.auc"}  # they take a bias off
every = pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)


def law_samples(seed: int, count: int = 240) -> Tensor:
    return Gaussians8().source().draw(Noise(torch.tensor([seed])), Stream.REAL, 0, count).x[0]


def pair(fake: Tensor, **options: Any) -> Pair:
    real, law = law_samples(0), Gaussians8().source().law
    return Pair(real, fake, k=3, law=law, logits=logits(fake), real_logits=logits(real), **options)


def logits(points: Tensor) -> Tensor:
    """Three classes: right, left and above."""
    return torch.stack((points[:, 0], -points[:, 0], points[:, 1]), dim=1)


def within(entry: Entry, value: float) -> bool:
    return (entry.low is None or value >= entry.low) and (entry.high is None or value <= entry.high)


def test_every_metric_is_under_the_contract() -> None:
    check_every_name_is_listed(METRICS, MEMBERS)


def test_metrics_are_named_without_torch() -> None:
    check_imports_without_torch("trainables.metrics")


@every
def test_a_metric_is_a_member(member: Metric) -> None:
    check_member(METRICS, member)
    assert member.needs <= {"law", "logits"}
    assert all(order > 0 for order in member.orders(3))


def test_every_key_of_the_catalogue_is_one_number() -> None:
    entries = [entry for member in every_metric() for entry in member.entries]
    keys = [entry.key for entry in (*entries, *COSTS, *DIAGNOSTICS)]
    assert len(keys) == len(set(keys))
    for entry in entries:
        assert entry.title
        assert entry.sentence.endswith(".")
        assert entry.direction in ("max", "min")


def test_the_everyday_ones_come_first_and_in_order() -> None:
    names = [member.name for member in every_metric()]
    assert sorted(names) == sorted(METRICS)
    assert [member.name for member in everyday_metrics()] == ["neighbours", "frechet", "modes"]
    assert [member.name for member in everyday_metrics(logits=True)] == names[:4]
    assert names[:4] == ["neighbours", "frechet", "modes", "classes"]


@every
@pytest.mark.parametrize("fake", ["good", "shifted", "collapsed"])
def test_values_are_declared_and_within_their_bounds(member: Metric, fake: str) -> None:
    samples = {
        "good": law_samples(1),
        "shifted": law_samples(1) + 1.0,
        "collapsed": 0.1 * law_samples(1) + 2.0,
    }
    scores = member.measure(pair(samples[fake]))
    declared = {entry.key: entry for entry in member.entries}
    assert set(scores.values) == set(declared)
    for key, value in scores.values.items():
        low, high = declared[key].low, declared[key].high
        assert value == value
        assert low is None or value >= low - 1e-9
        assert high is None or value <= high + 1e-9
    assert scores.left_out is None
    assert not scores.intervals


@every
def test_equal_sets_score_no_worse_than_shifted_ones(member: Metric) -> None:
    best = member.measure(pair(law_samples(0))).values
    worse = member.measure(pair(law_samples(0) + 3.0)).values
    for entry in member.entries:
        if member.name == "inception_score":  # it does not look at the real samples
            continue
        if entry.direction == "max":
            assert best[entry.key] > worse[entry.key]
        else:
            assert best[entry.key] < worse[entry.key]


@every
def test_intervals_come_with_their_kind_and_only_when_asked(member: Metric) -> None:
    fake = law_samples(2)
    scores = member.measure(pair(fake, draws=100))
    plain = member.measure(pair(fake))
    assert not plain.intervals
    assert dict(scores.values) == pytest.approx(dict(plain.values))
    expected = set() if member.name in WITHOUT_INTERVALS else set(scores.values)
    assert set(scores.intervals) == set(scores.kinds) == expected
    assert not scores.withheld
    declared = {entry.key: entry for entry in member.entries}
    for key, (low, high) in scores.intervals.items():
        assert low < high
        assert key in NEED_NOT_HOLD_THE_VALUE or low <= scores.values[key] <= high
        assert high - low < 3.0
        assert within(declared[key], low)
        assert within(declared[key], high)
    narrow = member.measure(pair(fake, draws=100, level=0.5))
    for key, (low, high) in narrow.intervals.items():
        assert high - low <= scores.intervals[key][1] - scores.intervals[key][0] + 1e-12


@every
def test_a_measurement_repeats_itself(member: Metric) -> None:
    one = member.measure(pair(law_samples(3), draws=20, seed=4))
    other = member.measure(pair(law_samples(3), draws=20, seed=4))
    assert dict(one.values) == dict(other.values)
    assert dict(one.intervals) == dict(other.intervals)


@every
@pytest.mark.parametrize("fake", ["the same", "far", "one point", "few"])
def test_intervals_at_the_edges_are_withheld_with_a_sentence_or_within_bounds(
    member: Metric, fake: str
) -> None:
    if member.name in WITHOUT_INTERVALS:
        return
    real = law_samples(0)
    samples = {
        "the same": real,
        "far": real + 1e3,
        "one point": real[:1].expand(240, 2),
        "few": real[:12] + 0.1,
    }
    scores = member.measure(pair(samples[fake].clone(), draws=50))
    declared = {entry.key: entry for entry in member.entries}
    assert set(scores.intervals) | set(scores.withheld) == set(scores.values)
    for key, sentence in scores.withheld.items():
        assert key not in scores.intervals
        assert sentence[0].islower() or sentence[0].isdigit()
    for key, (low, high) in scores.intervals.items():
        value = scores.values[key]
        assert -1e300 < low <= high < 1e300
        assert within(declared[key], low)
        assert within(declared[key], high)
        assert key in NEED_NOT_HOLD_THE_VALUE or low <= value <= high
        assert low < high or fake == "one point"


@every
def test_what_the_data_lacks_is_left_out_with_a_reason(member: Metric) -> None:
    if not member.needs:
        return
    scores = member.measure(replace(pair(law_samples(1)), law=None, logits=None))
    assert not scores.values
    assert scores.left_out
