"""A finished trial is refined against its own data; what its critic cannot know is refused before a draw is made."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest
import torch

from explorer.errors import UserError
from explorer.refining import Wish, ratio
from explorer.refining.subject import Subject
from explorer.refining.trial_subject import drawn_trial, trial_subject
from explorer.results.store import ResultStore
from explorer.results.table import Trial
from tests.explorer.refining.halved import Halved
from tests.explorer.refining.stored_trials import FLOW, LAM, RING, TAGS, table_of, trial_of
from trainables.refinements import REFINEMENTS
from trainables.refinements.budgeted import Budgeted
from trainables.refinements.hard_truncation import HardTruncation
from trainables.refinements.obrs import Obrs
from trainables.samplers.pool import Drawable

UNKNOWING = ("hinge", "wasserstein", "tv", "naive_pr")
"""Objectives whose best critic does not determine the ratio."""


def of_objective(uri: str, name: str) -> Trial:
    own = {LAM: 1.0, "training.generator_lr": 0.001} if name == "pr" else {}
    return trial_of(uri, RING, **{"objective.name": name, **own})


def subject(uri: str, trial: Trial, sweep: str = RING, **wished: Any) -> Subject:
    wish = Wish(**{"budgets": (1.0, 2.0), "samples": 100, **wished})
    return trial_subject(ResultStore(uri), table_of(uri, sweep), trial, wish)


def drawn(uri: str, trial: Trial, sweep: str = RING, **wished: Any) -> tuple[Drawable, Budgeted, str]:
    return drawn_trial(ResultStore(uri), table_of(uri, sweep), trial, Wish(budgets=(2.0,), **wished))


@pytest.mark.parametrize("objective", ["gan", "pr"])
def test_a_trial_is_told_with_its_data_its_measures_and_its_ratio(refinable: str, objective: str) -> None:
    trial = of_objective(refinable, objective)
    found = subject(refinable, trial, samples=None)
    assert found.title == f"trial {trial.id} of sweep ring"
    assert (found.run, found.trial, found.sweep) == (trial.run_id, trial.id, "ring")
    assert len(found.alphas) == 121
    assert found.alphas == trial.alphas
    other = subject(refinable, trial, changes=("dataset.name=gaussians25",))
    assert other.alphas == (), "of other data the trial's own curve tells nothing"
    assert (found.evaluation.samples, found.evaluation.intervals, found.evaluation.repeats) == (400, True, 1)
    assert found.evaluation.features is not None
    assert found.evaluation.features.name == "identity"
    assert found.real.points.shape == (400, 2)
    assert found.method == Obrs(budgets=(1.0, 2.0))
    assert found.model.shape == (2,)
    assert found.ratio is not None
    assert (found.ratio.source, found.ratio.calibration) == ("critic", "slope")
    assert found.ratio.reliability is not None


def test_what_is_wished_is_laid_over_what_the_trial_was_read_with(refinable: str) -> None:
    trial = of_objective(refinable, "gan")
    changes = ("evaluation.k=5", "refinement.rate=0.02")
    found = subject(refinable, trial, method="dot", samples=77, budgets=(3.0,), changes=changes)
    assert (found.evaluation.samples, found.evaluation.k) == (77, 5)
    assert found.method.plain() | {"name": "dot", "rate": 0.02, "budgets": [3.0]} == found.method.plain()


@pytest.mark.parametrize("objective", UNKNOWING)
def test_a_critic_that_knows_no_ratio_is_refused_until_something_else_says_it(
    refinable: str, objective: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ratio, "LEARNT", 200)
    monkeypatch.setattr("trainables.samplers.fitted.MOST_EPOCHS", 2)
    trial = of_objective(refinable, objective)
    sentence = f"the critic of trial {trial.id} of sweep ring was trained with objective '{objective}'"
    for make in (subject, drawn):
        with pytest.raises(UserError, match=sentence) as refused:
            make(refinable, trial)
        assert "by --calibration isotonic, or to the samples by --ratio classifier" in str(refused.value)
    for asked in ({"calibration": "slope"}, {"calibration": "isotonic"}, {"ratio": "classifier"}):
        found = subject(refinable, trial, **asked)
        assert found.ratio is not None
        assert found.ratio.source == asked.get("ratio", "critic")
        assert found.ratio.calibration == asked.get("calibration", "slope")
        assert drawn(refinable, trial, **asked)[2] == found.title


@pytest.mark.parametrize("method", ["hard_truncation", "soft_truncation"])
def test_truncation_asks_for_no_ratio(refinable: str, method: str) -> None:
    trial = of_objective(refinable, "hinge")
    found = subject(refinable, trial, method=method)
    assert found.ratio is None
    assert found.method.name == method
    assert found.method.asked() == (2.0,)
    model, refinement, _ = drawn(refinable, trial, method="hard_truncation")
    assert refinement == HardTruncation(budgets=(2.0,))
    assert next(iter(model.pools(0))).points.shape[1:] == (2,)


@pytest.mark.parametrize("method", ["none", "halved"])
def test_a_refinement_that_neither_chooses_nor_moves_is_refused(refinable: str, method: str) -> None:
    REFINEMENTS.add(Halved)
    for make in (subject, drawn):
        with pytest.raises(
            UserError, match=f"chooses among draws or moves them, and '{method}' does neither"
        ):
            make(refinable, of_objective(refinable, "gan"), method=method)


@pytest.mark.parametrize(
    ("wished", "sentence"),
    [
        ({"method": "obsr"}, "'refinement.name' cannot be 'obsr'; did you mean 'obrs'"),
        ({"ratio": "density"}, "known from densities where the model has one, and this one has none"),
        ({"budgets": (1e10,)}, "budget K must be at most 1,000,000,000"),
        ({"device": "gpu"}, "the device must be auto, cpu, cuda or cuda:N, got 'gpu'"),
        ({"changes": ("evaluation.k=0",)}, "evaluation.k must be"),
        ({"changes": ("refinement.rat=3",)}, "unknown key 'refinement.rat'"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused_in_a_sentence(
    refinable: str, wished: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(UserError, match=sentence):
        subject(refinable, of_objective(refinable, "gan"), **wished)


def test_more_samples_than_are_held_out_are_refused(refinable: str) -> None:
    (trial,) = table_of(refinable, TAGS).trials
    with pytest.raises(UserError, match="must be at most the 359 samples"):
        subject(refinable, trial, TAGS, samples=360)


@pytest.mark.parametrize(
    ("params", "status"), [({LAM: 7.0}, "running"), ({"training.generator_lr": 1e30}, "failed")]
)
def test_a_trial_that_is_not_finished_is_refused(
    refinable: str, params: dict[str, float], status: str
) -> None:
    trial = trial_of(refinable, RING, **params)
    for make in (subject, drawn):
        with pytest.raises(UserError, match=f"refined once it is finished, and {trial.id} .* is {status}"):
            make(refinable, trial)


def test_a_flow_is_known_by_its_density(refinable: str) -> None:
    (trial,) = table_of(refinable, FLOW).trials
    found = subject(refinable, trial, FLOW, ratio="density")
    assert found.ratio is not None
    assert (found.ratio.source, found.ratio.calibration) == ("density", "none")
    assert found.ratio.reliability is not None
    assert found.ratio.reliability.verdict.trusted


def test_a_label_is_the_class_of_all_draws(refinable: str) -> None:
    (trial,) = table_of(refinable, TAGS).trials

    def classes(**wished: Any) -> set[int]:
        model, _, _ = drawn(refinable, trial, TAGS, **wished)
        made = [pool.classes for pool in islice(model.pools(1), 2)]
        return {int(one) for own in made if own is not None for one in own}

    assert classes() == set(range(10))
    assert classes(label=3) == classes(label=3, calibration="slope") == {3}
    model, _, _ = drawn(refinable, trial, TAGS, label=3)
    others, _, _ = drawn(refinable, trial, TAGS, label=4)
    assert not torch.equal(*(next(iter(one.pools(1))).points for one in (model, others)))


def test_a_label_that_the_model_cannot_make_is_refused(refinable: str) -> None:
    (trial,) = table_of(refinable, TAGS).trials
    with pytest.raises(UserError, match=r"a class that the model makes, and .* makes classes 0 to 9, got 10"):
        drawn(refinable, trial, TAGS, label=10)
    with pytest.raises(UserError, match=r"and trial .* of sweep ring makes samples of no class, got 0"):
        drawn(refinable, of_objective(refinable, "gan"), label=0)
