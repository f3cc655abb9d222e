"""Losses of a flow are compared by their means over seeds and by their samples, without the bases they begin at."""

from __future__ import annotations

from dataclasses import replace

import pytest

from explorer.api import results
from explorer.errors import UserError
from explorer.html.picture import picture_source
from explorer.reproduce.thesis_flows import losses_compared, samples_compared
from explorer.store.schema import PICTURE_FILE
from tests.app.made_sweep import Made, configs, made, write_sweep
from tests.explorer.reproduce.built import built
from tests.stores import empty_store
from trainables.config import TrainingConfig, TrialConfig
from trainables.models.realnvp import RealNvp
from trainables.objectives.fgan import KL, ReverseKL
from trainables.objectives.mle import MaximumLikelihood
from trainables.objectives.objective import Objective
from trainables.objectives.pr import PR

GIVEN: dict[str, tuple[Objective, float, float]] = {
    "λ = 10": (PR(lam=10.0), 0.8, 0.2),
    "likelihood": (MaximumLikelihood(), 0.5, 0.6),
    "λ = 0.1": (PR(lam=0.1), 0.55, 0.65),
    "reverse KL": (ReverseKL(), 0.7, 0.4),
    "KL": (KL(), 0.52, 0.58),
}
"""Losses in no order, with the precision and recall of seed 0; seed 1 has 0.1 more of either."""


def trial(objective: Objective, seed: int, precision: float, recall: float, begun: bool) -> Made:
    """A trial of a flow with these numbers."""
    training = TrainingConfig(iterations=10 if begun else 20)
    config = TrialConfig(model=RealNvp(), objective=objective, training=training, seed=seed)
    params = {"start.from": f"base{seed}"} if begun else {}
    return made(config, more={"precision": precision, "recall": recall, "fid": 10 * precision}, params=params)


@pytest.fixture(scope="module")
def flows(tmp_path_factory):
    uri = empty_store(tmp_path_factory.mktemp("flows"))
    trials = [trial(MaximumLikelihood(), seed, 0.01, 0.02, begun=False) for seed in range(2)]  # the bases
    for objective, precision, recall in GIVEN.values():
        trials += [trial(objective, s, precision + 0.1 * s, recall + 0.1 * s, begun=True) for s in range(2)]
    write_sweep(uri, "flows", trials)
    return results("flows", uri)


@pytest.fixture(scope="module")
def panel(flows):
    (found,) = losses_compared(flows)
    return found


def test_losses_stand_in_the_order_of_the_figure_with_means_and_seeds(panel):
    bars = [trace for trace in panel.figure.data if trace.type == "bar"]
    dots = [trace for trace in panel.figure.data if trace.type == "scatter"]
    order = ["likelihood", "KL", "reverse KL", "λ = 0.1", "λ = 10"]
    assert [bar.name for bar in bars] == order * 3  # FID, precision, recall
    assert [bar.x[0] for bar in bars] == [0, 1, 2, 3, 4] * 3
    assert list(panel.figure.layout.xaxis3.ticktext) == order
    for bar, dot in zip(bars[5:10], dots[5:10], strict=True):
        precision = GIVEN[bar.name][1]
        assert bar.y[0] == pytest.approx(precision + 0.05)
        assert dot.y == pytest.approx((precision, precision + 0.1))
        assert list(dot.customdata) == [0, 1]
    assert [bar.y[0] for bar in bars[10:]] == pytest.approx([GIVEN[loss][2] + 0.05 for loss in order])


def test_what_the_thesis_says_stands_beside_what_was_found(panel):
    found = {number.what: (number.printed, number.computed) for number in panel.numbers}
    assert found["KL against likelihood"] == ("similar", "precision +0.020, recall -0.020")
    assert found["reverse KL against KL"] == (
        "more precision, less recall",
        "precision +0.180, recall -0.180",
    )
    assert found["precision at λ = 0.1, λ = 10"] == ("rising", "0.600, 0.850")
    assert found["recall at λ = 0.1, λ = 10"] == ("falling", "0.700, 0.250")
    assert "sweep 'flows', model realnvp on gaussians8" in panel.caption


def test_losses_that_are_missing_are_left_out():
    (panel,) = built("thesis-5.11")  # of a sweep with λ, KL and hinge, without likelihood
    assert {trace.name for trace in panel.figure.data} == {"KL", "λ = 0.1", "λ = 1", "λ = 10"}
    assert [number.printed for number in panel.numbers] == ["rising", "falling"]


def test_a_sweep_of_one_loss_is_the_users_to_mend(tmp_path):
    uri = empty_store(tmp_path)
    write_sweep(uri, "one", [made(config) for config in configs((), 2)])
    with pytest.raises(
        UserError, match=r"sweep 'one' has finished trials of 1 of .* run `tradeoff sweep fashion-glow"
    ):
        losses_compared(results("one", uri))


def test_samples_of_likelihood_and_of_every_λ_are_those_of_the_first_seed(flows):
    (panel,) = samples_compared(flows)
    titles = [title.text for title in panel.figure.layout.annotations]
    assert titles == ["likelihood, seed 0", "λ = 0.1, seed 0", "λ = 10, seed 0"]
    begun = {
        (trial.params["objective.name"], trial.params.get("objective.lam")): trial
        for trial in flows.table.finished()
        if trial.seed == 0 and "start.from" in trial.params
    }
    wanted = [begun["mle", None], begun["pr", 0.1], begun["pr", 10.0]]
    pictures = [flows.store.artifact_bytes(trial.run_id, PICTURE_FILE) for trial in wanted]
    assert [image.source for image in panel.figure.layout.images] == [picture_source(p) for p in pictures]
    assert [(image.xref, image.yref) for image in panel.figure.layout.images] == [
        ("x", "y"),
        ("x2", "y2"),
        ("x3", "y3"),
    ]


def test_trials_without_samples_have_no_figure(tmp_path):
    uri = empty_store(tmp_path)
    trials = [made(config) for config in configs((0.1, 1.0), 1)]
    write_sweep(uri, "bare", [replace(one, final=replace(one.final, real=None)) for one in trials])
    with pytest.raises(
        UserError, match=r"has no samples.png of trial .*; run `tradeoff sweep fashion-glow-small`"
    ):
        samples_compared(results("bare", uri))


def test_neither_likelihood_nor_λ_is_the_users_to_mend(tmp_path):
    uri = empty_store(tmp_path)
    write_sweep(uri, "two", [trial(objective, 0, 0.5, 0.5, begun=True) for objective in (KL(), ReverseKL())])
    assert len(losses_compared(results("two", uri))) == 1
    with pytest.raises(
        UserError, match="samples of likelihood and of λ, and sweep 'two' has no finished trial"
    ):
        samples_compared(results("two", uri))


def test_a_model_trained_for_many_λ_is_not_one_of_its_λ(tmp_path):
    uri = empty_store(tmp_path)
    many = replace(trial(PR(lam=1.0), 0, 0.9, 0.9, begun=True), id="many")
    many = replace(many, params={**many.params, "objective.lams": "[0.1, 10.0]"})
    write_sweep(uri, "many", [many, *(trial(loss, 0, 0.5, 0.5, begun=True) for loss in (KL(), ReverseKL()))])
    (panel,) = losses_compared(results("many", uri))
    assert {trace.name for trace in panel.figure.data} == {"KL", "reverse KL"}
