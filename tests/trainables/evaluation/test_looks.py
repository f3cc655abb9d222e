"""What is shown of a reading: accepted points, and between them those that were refused."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from trainables.datasets.gaussians8 import Gaussians8
from trainables.evaluation.findings import Findings
from trainables.evaluation.looks import read_all
from trainables.evaluation.reading import PLAIN, Reading
from trainables.evaluation.real_side import RealSide
from trainables.evaluation.settings import EvaluationConfig, ReadingPlan
from trainables.evaluation.shown import POINTS
from trainables.extractors.identity import Identity
from trainables.metrics.neighbours import Neighbours
from trainables.refinements import Proposals
from trainables.refinements.obrs import Obrs

SAMPLES = 600
PLAN = ReadingPlan(EvaluationConfig(samples=SAMPLES, metrics=(Neighbours(),)), (Obrs(budgets=(2.0, 4.0)),))


@pytest.fixture(scope="module")
def proposals() -> Proposals:
    """Two models of which the critic likes what lies to the right."""
    generator = torch.Generator().manual_seed(0)
    points = 2 * torch.randn(2, PLAN.proposals(), 2, generator=generator)
    return Proposals(points, points[:, :, 0], torch.rand(points.shape[:2], generator=generator))


def read(proposals: Proposals, findings: dict[int, Findings] | None = None) -> list[tuple[Reading, ...]]:
    real = RealSide(Gaussians8().source(), Identity(), SAMPLES)
    found = read_all(real, PLAN, proposals, None, [1, 0], True, findings)
    assert all(isinstance(one, tuple) for one in found)
    return found  # type: ignore[return-value]


def test_refused_points_are_draws_that_were_not_kept(proposals: Proposals) -> None:
    for row, readings in zip([1, 0], read(proposals), strict=True):
        assert [one.key for one in readings] == [PLAIN, ("obrs", 2.0), ("obrs", 4.0)]
        assert readings[0].rejected is None
        drawn = {tuple(point) for point in proposals.points[row].tolist()}
        for reading in readings[1:]:
            assert reading.samples is not None
            assert reading.rejected is not None
            assert len(reading.rejected) == len(reading.samples) == POINTS
            kept = {tuple(point) for point in reading.samples.tolist()}
            refused = {tuple(point) for point in reading.rejected.tolist()}
            assert refused <= drawn
            assert not refused & kept
            assert reading.rejected[:, 0].mean() < reading.samples[:, 0].mean() - 1, (
                "the critic likes the right"
            )


def test_refused_points_stand_for_all_that_are_refused(proposals: Proposals) -> None:
    # The worst alone would all lie at the left; those that are refused by chance lie anywhere.
    (_, _, four), _ = read(proposals)
    assert four.rejected is not None
    assert np.median(four.rejected[:, 0]) > -2.5
    assert four.rejected[:, 0].max() > 0


def test_findings_are_those_of_the_models_as_they_are(proposals: Proposals) -> None:
    findings: dict[int, Findings] = {}
    for row, readings in zip([1, 0], read(proposals, findings), strict=True):
        witnesses = findings[row].witnesses
        assert witnesses is not None
        assert witnesses.outside.share == pytest.approx(1 - readings[0].metrics["precision"])
        drawn = {tuple(point) for point in proposals.points[row, :SAMPLES].tolist()}
        assert {tuple(point) for point in witnesses.outside.samples.tolist()} <= drawn
