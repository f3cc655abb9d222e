"""A subject is of whatever is drawn from: it is refined without a store, and told without one."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import pytest

from explorer.refining import refined
from explorer.refining.subject import Ratio, Subject
from tests.trainables.samplers.known import Known
from trainables.evaluation.real_side import RealSide
from trainables.evaluation.settings import EvaluationConfig
from trainables.extractors.identity import Identity
from trainables.refinements.hard_truncation import HardTruncation
from trainables.refinements.obrs import Obrs
from trainables.rejection.calibrations import Slope
from trainables.samplers.calibrating import calibrated_on
from trainables.sources.array_source import ArraySource


@pytest.fixture(scope="module")
def subject() -> Subject:
    """Q = N(0, 1) and P = N(1, 1), of which the ratio is known."""
    model = Known()
    evaluation = EvaluationConfig(samples=200, features=Identity())
    real = RealSide(ArraySource(model.real(400), held_out=0.5), Identity(), 200)
    return Subject(
        "a known model", model, Obrs(budgets=(1.0, 2.0)), real, evaluation, Ratio("critic", "none")
    )


def test_a_model_of_no_store_has_no_run_and_no_curve(subject: Subject) -> None:
    assert (subject.run, subject.trial, subject.sweep, subject.alphas) == ("", "", "", ())
    told = refined(subject).document()
    assert told["model"] == "a known model"
    assert not {"run", "trial", "sweep"} & told.keys()
    assert told["predicted_from"] == "a classifier of nearest neighbours"
    stored = replace(subject, run="r", trial="t", sweep="s")
    assert {"run": "r", "trial": "t", "sweep": "s"}.items() <= refined(stored).document().items()


def test_a_ratio_that_was_not_tried_is_told_without_reliability(subject: Subject) -> None:
    told = refined(subject).document()
    assert told["ratio"] == {"source": "critic", "calibration": "none"}
    assert told["reliability"] is None
    model = Known()
    found = calibrated_on(model, Slope, model.real(1000), 1000, 1, 2.0)
    tried = replace(subject, model=found.model, ratio=Ratio("critic", "slope", found.reliability))
    assert refined(tried).document()["reliability"] == found.reliability.plain()


def test_a_refinement_that_asks_for_no_ratio_has_none(subject: Subject) -> None:
    told = refined(replace(subject, method=HardTruncation(budgets=(2.0,)), ratio=None)).document()
    assert told["ratio"] is None
    assert set(told["budgets"]) == {"1", "2"}


def test_a_subject_stays_as_it_was_made(subject: Subject) -> None:
    with pytest.raises(FrozenInstanceError):
        subject.title = "another"  # type: ignore[misc]
    assert subject != replace(subject), "models are not compared"
