"""An evaluation is plain data about one trial, whoever its neighbours are."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import torch

from tests.trainables.evaluation.images import ByClass, SmallDigits, Uniform
from tests.trainables.training.members import Clusters, Conditional, small
from tests.trainables.training.trials import FLOW, MLP, MODELS, trial
from trainables.config import TrialConfig
from trainables.constraints import Constraint
from trainables.constraints.none import Free
from trainables.constraints.spectral import Spectral
from trainables.datasets.mixture1d import Mixture1d
from trainables.evaluation.evaluate import evaluate
from trainables.evaluation.reading import PLAIN, Cost, Evaluation
from trainables.evaluation.settings import EvaluationConfig, ReadingPlan
from trainables.extractors.identity import Identity
from trainables.faults import Fault, FaultKind
from trainables.metrics import Entry, Metric, Scores
from trainables.metrics.neighbours import Neighbours
from trainables.metrics.pair import Pair
from trainables.objectives.fgan import Gan, PearsonChi2
from trainables.objectives.hinge import Hinge
from trainables.objectives.mle import MaximumLikelihood
from trainables.objectives.pr import PR
from trainables.refinements import Proposals, Refined, Refinement
from trainables.refinements.none import AsItIs
from trainables.refinements.obrs import Obrs
from trainables.sources.source import Batch
from trainables.training.population import Population

MEASURES = {"precision", "recall", "density", "coverage", "fid", "quality", "modes_hit", "modes_held"}
BUDGETS = (8.0, 1.0, 1.5, 2.0)
SAMPLES = 300
PLAN = ReadingPlan(EvaluationConfig(samples=SAMPLES), (Obrs(budgets=BUDGETS),))
SMALL = ReadingPlan(EvaluationConfig(samples=60))


def configs(model: str) -> list[TrialConfig]:
    """Objectives, constraints and seeds of their own."""
    return [
        trial(MODELS[model], PR(lam=1.0)),
        trial(MODELS[model], Hinge(), Spectral(lipschitz=2.0), seed=1),
        trial(MODELS[model], PearsonChi2(), seed=2),
    ]


@cache
def trained(model: str) -> Population:
    population = Population(configs(model))
    population.advance(30)
    return population


@cache
def final(model: str) -> list[Evaluation]:
    return evaluate(trained(model), PLAN, final=True)


def test_a_final_reading_is_the_mean_over_repeats() -> None:
    population = trained("mlp_gan")
    some = (Obrs(budgets=(2.0,)),)
    one, two, four = (
        evaluate(population, ReadingPlan(EvaluationConfig(samples=80, repeats=repeats), some), final=True)
        for repeats in (1, 2, 4)
    )
    for a, b, c in zip(one, two, four, strict=True):
        assert [r.key for r in a.readings] == [r.key for r in c.readings]
        for first, both, every in zip(a.readings, b.readings, c.readings, strict=True):
            np.testing.assert_array_equal(first.samples, every.samples)
            second = {key: 2 * both.metrics[key] - value for key, value in first.metrics.items()}
            assert second["recall"] * 80 == pytest.approx(round(second["recall"] * 80)), (
                "a reading of its own"
            )
            assert second != pytest.approx(first.metrics), "of other samples"
            assert 0 <= every.metrics["recall"] <= 1
        assert a.diagnostics == c.diagnostics
    early = ReadingPlan(EvaluationConfig(samples=80, repeats=4), some)
    assert evaluate(population, early, final=False)[0].metrics == one[0].metrics, (
        "in training one draw will do"
    )


def test_repeats_are_draws_of_their_own() -> None:
    population = trained("mlp_gan")
    draws = [population.sample(70, 5, repeat).x for repeat in (0, 1, 15)]
    uniforms = [population.accept_uniforms(70, 5, repeat) for repeat in (0, 1, 15)]
    assert torch.equal(draws[0], population.sample(70, 5).x)
    for same in (draws, uniforms):
        assert not any(torch.isin(a, b).any() for a, b in ((same[0], same[1]), (same[1], same[2])))


every_model = pytest.mark.parametrize("model", sorted(MODELS))


@every_model
def test_the_same_alone_and_in_a_pack(model: str) -> None:
    for index, config in enumerate(configs(model)):
        alone = Population([config])
        alone.advance(30)
        one, other = evaluate(alone, PLAN, final=True)[0], final(model)[index]
        assert [reading.key for reading in one.readings] == [reading.key for reading in other.readings]
        # A count may turn on a rounding of the last digit; nothing else may.
        near: dict[str, Any] = {"rel": 2e-3, "abs": 3 / SAMPLES}
        assert one.diagnostics == pytest.approx(other.diagnostics, **near)
        for mine, its in zip(one.readings, other.readings, strict=True):
            assert mine.metrics == pytest.approx(its.metrics, **near)
        np.testing.assert_allclose(one.readings[0].samples, other.readings[0].samples, rtol=1e-3, atol=1e-4)
        for axis in ("precision", "recall"):
            np.testing.assert_allclose(one.curve[axis], other.curve[axis], atol=2e-3)


@every_model
def test_every_budget_is_spent(model: str) -> None:
    for evaluation in final(model):
        assert [reading.key for reading in evaluation.readings] == [
            PLAIN,
            *(("obrs", budget) for budget in (1.5, 2.0, 8.0)),
        ]
        for reading in evaluation.readings[1:]:
            budget = reading.budget
            error = ((1 / budget) * (1 - 1 / budget) / (budget * (SAMPLES + 6 * SAMPLES**0.5))) ** 0.5
            assert reading.metrics["acceptance"] == pytest.approx(1 / budget, abs=5 * error + 1e-12)
            assert reading.metrics.keys() == MEASURES | {"acceptance"}
            assert reading.samples is not None
            assert reading.samples.shape == (SAMPLES, 2)  # enough proposals for a full set of accepted points
            assert reading.cost is not None
            assert reading.cost.draws == pytest.approx(1 / reading.metrics["acceptance"])


@every_model
def test_the_plain_reading_is_no_refinement(model: str) -> None:
    for evaluation, alone in zip(
        final(model),
        evaluate(trained(model), ReadingPlan(PLAN.evaluation, (AsItIs(),)), final=True),
        strict=True,
    ):
        assert len(alone.readings) == 1
        assert alone.metrics == pytest.approx(evaluation.metrics, rel=1e-4, abs=1e-6)
        assert evaluation.metrics["acceptance"] == 1.0
        assert evaluation.metrics.keys() == MEASURES | {"acceptance"}
        assert evaluation.readings[0].cost is None
        np.testing.assert_allclose(
            alone.readings[0].samples, evaluation.readings[0].samples, rtol=1e-5, atol=1e-6
        )


@every_model
def test_accepted_points_are_generated_points(model: str) -> None:
    population = trained(model)
    pool = population.sample(PLAN.proposals(), population.iteration).x
    for index, evaluation in enumerate(final(model)):
        known = {tuple(point) for point in pool[index].tolist()}
        for reading in evaluation.readings:
            assert reading.samples is not None
            assert {tuple(point) for point in reading.samples.tolist()} <= known


def test_rejection_follows_the_critic() -> None:
    # Accepted points have a larger mean log ratio than the pool; a wrong sign would lower it.
    population = trained("realnvp")
    evaluation = final("realnvp")[2]
    assert evaluation.readings[-1].samples is not None
    kept = torch.from_numpy(evaluation.readings[-1].samples)

    def mean_ratio(points: torch.Tensor) -> float:
        return float(population.log_ratio(Batch(points.expand(3, -1, -1)))[2].mean())

    pool = population.sample(SAMPLES, population.iteration).x[2]
    assert evaluation.diagnostics["calibration"] > 0
    assert mean_ratio(kept) > mean_ratio(pool)


def often(evaluation: Evaluation) -> dict[str, float]:
    """Diagnostics without those that only the last evaluation has: how steep the networks became."""
    last = {"critic_slope", "generator_slope", "generator_lipschitz", "ceiling_alpha", "ceiling_own"}
    return {key: value for key, value in evaluation.diagnostics.items() if key not in last}


def test_before_the_end_only_the_plain_reading() -> None:
    evaluation = evaluate(trained("mlp_gan"), PLAN, final=False)[0]
    assert [reading.key for reading in evaluation.readings] == [PLAIN]
    assert evaluation.readings[0].samples is None
    assert evaluation.real is None
    assert evaluation.curve == {}
    assert not evaluation.final
    assert evaluation.iteration == 30
    # What is measured does not depend on whether it is the last.
    last = final("mlp_gan")[0]
    assert last.final
    assert evaluation.metrics == pytest.approx(last.metrics, rel=1e-4, abs=1e-6)
    assert evaluation.diagnostics == pytest.approx(often(last), rel=1e-4, abs=1e-6)
    assert {"critic_slope", "generator_slope"} <= set(last.diagnostics)


def test_a_final_evaluation_finds_why_its_numbers_are_no_higher() -> None:
    for model in ("mlp_gan", "realnvp"):
        for evaluation in final(model):
            findings = evaluation.findings
            assert findings is not None
            assert findings.left_out == ()
            assert findings.witnesses is not None
            assert findings.witnesses.outside.share == pytest.approx(1 - evaluation.metrics["precision"])
            assert findings.witnesses.missed.share == pytest.approx(1 - evaluation.metrics["recall"])
            source = evaluation.curve["source"]
            assert [curve.name for curve in findings.curves] == [source, "prd", "knn", "cover"]
            assert all(len(curve.lam) <= 100 for curve in findings.curves)
    assert evaluate(trained("mlp_gan"), SMALL, final=False)[0].findings is None


def test_a_closer_look_that_fails_loses_no_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*args: object) -> None:
        raise RuntimeError("not today")

    monkeypatch.setattr("trainables.evaluation.closer_look.estimated_curves", fails)
    for one, other in zip(evaluate(trained("mlp_gan"), PLAN, final=True), final("mlp_gan"), strict=True):
        assert one.fault is None
        assert one.metrics == other.metrics
        assert one.findings is not None
        assert one.findings.left_out == ("witnesses and curves are left out (RuntimeError: not today)",)
        assert [curve.name for curve in one.findings.curves] == [one.curve["source"]]


def test_real_points_are_shared_by_all_trials() -> None:
    shown = [evaluation.real for evaluation in final("mlp_gan") + final("realnvp")]
    for points in shown[1:]:
        np.testing.assert_array_equal(points, shown[0])
    assert shown[0] is not None
    assert shown[0].shape == (SAMPLES, 2)


def test_what_is_logged_of_the_critic() -> None:
    for config, evaluation in zip(configs("mlp_gan"), final("mlp_gan"), strict=True):
        numbers = {**evaluation.metrics, **evaluation.diagnostics}
        assert all(np.isfinite(value) for value in numbers.values())
        assert ("lam_inert" in numbers) == (config.objective.name == "pr")
        assert ("lam_below" in numbers) == (config.objective.name == "pr")
        if config.constraint.name == "spectral":
            assert numbers["critic_lipschitz"] == pytest.approx(2.0, rel=1e-4)
    losses = trained("mlp_gan").losses
    assert final("mlp_gan")[1].diagnostics["critic_loss"] == pytest.approx(float(losses[1, 0]))
    assert final("mlp_gan")[1].diagnostics["generator_loss"] == pytest.approx(float(losses[1, 1]))


def test_every_number_is_in_the_catalogue() -> None:
    keys = {entry.key for entry in PLAN.catalogue()}
    for evaluation in final("mlp_gan"):
        assert set(evaluation.diagnostics) <= keys
        for reading in evaluation.readings:
            assert set(reading.metrics) <= keys


def test_a_resumed_trial_repeats_its_evaluation() -> None:
    population = trained("mlp_gan")
    resumed = Population(configs("mlp_gan"), [population.state(i) for i in range(3)])
    for one, other in zip(evaluate(resumed, PLAN, final=False), final("mlp_gan"), strict=True):
        assert one.metrics == pytest.approx(other.metrics, rel=1e-4, abs=1e-6)
        assert one.diagnostics == pytest.approx(often(other), rel=1e-4, abs=1e-6)


def inert(lam: float, constraint: Constraint) -> dict[str, float]:
    # A flow starts as a broad Gaussian: some of its points lie on modes and some between them.
    config = trial(FLOW, PR(lam=lam, warmup=0), constraint, iterations=40, critic_lr=1e-2)
    population = Population([config])
    population.advance(40)
    numbers = evaluate(population, SMALL, final=False)[0].diagnostics
    return {key: numbers[key] for key in ("lam_inert", "lam_never_caps", "lam_starves")}


@pytest.mark.parametrize(("lam", "caps", "starves"), [(1e-3, 1.0, 0.0), (1e3, 0.0, 1.0)])
def test_lam_is_inert_for_a_critic_that_cannot_reach_it(lam: float, caps: float, starves: float) -> None:
    # Logits within about 0.02 · diameter of each other never pass ±log 1000.
    found = inert(lam, Spectral(lipschitz=0.02))
    assert found == {"lam_inert": 1.0, "lam_never_caps": caps, "lam_starves": starves}


def test_lam_bites_for_a_free_critic() -> None:
    assert set(inert(1.0, Free()).values()) == {0.0}


def test_during_warm_up_nobody_says_lam_is_inert() -> None:
    population = Population([trial(FLOW, PR(lam=1.0, warmup=10))])
    population.advance(3)
    numbers = evaluate(population, SMALL, final=False)[0].diagnostics
    assert not {"lam_inert", "lam_never_caps", "lam_starves"} & set(numbers)
    assert numbers["lam_below"] + numbers["lam_above"] == pytest.approx(1.0, abs=1e-6)


@every_model
def test_a_diverged_trial_says_so_and_the_others_are_measured(model: str) -> None:
    wild = trial(MODELS[model], generator_lr=1e30, critic_lr=1e30)
    calm = trial(MODELS[model], Gan(), seed=1)
    population = Population([wild, calm])
    population.advance(10)
    for at_end in (False, True):
        first, second = evaluate(population, SMALL, final=at_end)
        assert first.fault is not None
        assert first.fault.kind == "diverged"
        assert first.fault.reason.startswith(
            "diverged: samples or critic are not finite at iteration 10; lower"
        )
        assert first.metrics == {}
        assert first.readings == ()
        assert second.fault is None
        assert second.metrics.keys() >= MEASURES


def test_evaluations_travel_between_processes() -> None:
    copy = pickle.loads(pickle.dumps(final("realnvp")[0]))
    assert copy.metrics == final("realnvp")[0].metrics
    assert isinstance(copy.readings[0].samples, np.ndarray)


def test_a_collapsed_generator_and_a_saturated_critic_are_seen() -> None:
    population = Population([trial(objective=Gan(), seed=seed) for seed in range(3)])
    population.matrices["average"][1] = 0.0
    population.matrices["critic"][2] *= 1e3
    found = [one.diagnostics for one in evaluate(population, SMALL, final=False)]
    assert found[1]["sample_spread"] < 1e-6 < 0.01 < found[0]["sample_spread"]
    assert found[2]["critic_saturation"] > 0.5 > found[0]["critic_saturation"] == 0.0


def test_a_constraint_is_kept_and_where_it_is_not_that_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    population = Population([trial(constraint=Spectral(lipschitz=2.0)), trial(objective=Gan(), seed=1)])
    kept, free = (one.diagnostics for one in evaluate(population, SMALL, final=False))
    assert abs(kept["constraint_excess"]) < 1e-5
    assert "constraint_excess" not in free
    monkeypatch.setattr(Spectral, "final_weights", Constraint.final_weights)
    loose = Population([trial(constraint=Spectral(lipschitz=0.1))])
    assert evaluate(loose, SMALL, final=False)[0].diagnostics["constraint_excess"] > 1e-3


def test_data_on_a_line() -> None:
    population = Population([trial(MLP, dataset=Mixture1d())])
    population.advance(3)
    evaluation = evaluate(population, SMALL, final=True)[0]
    assert evaluation.readings[0].samples is not None
    assert evaluation.readings[0].samples.shape == (60, 1)
    assert len(evaluation.curve["lambda"]) == 101 + 121 - 1  # both grids have λ = 1


def test_data_of_which_only_samples_are_known() -> None:
    population = Population([small(Conditional(), seed=s, dataset=Clusters()) for s in range(2)])
    population.advance(3)
    for evaluation in evaluate(population, ReadingPlan(EvaluationConfig(samples=80)), final=True):
        assert evaluation.curve == {}
        assert not {"quality", "modes_hit", "modes_held"} & set(evaluation.metrics)
        assert {"precision", "recall", "fid"} <= set(evaluation.metrics)


FAULTS = {
    kind.__name__: kind for kind in (ValueError, OSError, MemoryError, RuntimeError, torch.AcceleratorError)
}


@dataclass(frozen=True)
class Touchy(Metric):
    """Raises for samples that are wide."""

    name: ClassVar[str] = "touchy"
    entries: ClassVar[tuple[Entry, ...]] = (Entry("touchy", "Touchy", "Nothing."),)
    wide: float = 50.0
    fault: str = "ValueError"

    def measure(self, pair: Pair) -> Scores:
        if float(pair.fake.abs().max()) > self.wide:
            raise FAULTS[self.fault]("these samples are too wide")
        return Scores({"touchy": 1.0})


@dataclass(frozen=True)
class Choosy(Refinement):
    """Refuses proposals that are wide."""

    name: ClassVar[str] = "choosy"

    def asked(self) -> tuple[float, ...]:
        return (2.0,)

    def proposals(self, samples: int) -> int:
        return 2 * samples

    def refine(self, proposals: Proposals, samples: int) -> Iterator[Refined]:
        if float(proposals.points.abs().max()) > 50.0:
            raise KeyError("wide")
        yield Refined(2.0, proposals.points[::2][:samples], Cost(draws=2.0), 0.5)


def with_one_wide_trial() -> Population:
    """Five trials, of which the fourth has samples beyond all others; everything of it is finite."""
    population = Population([trial(MLP, Gan(), seed=s) for s in range(5)])
    population.matrices["average"][3] *= 1e3
    return population


@pytest.mark.parametrize("fault", ["ValueError", "OSError", "MemoryError", "RuntimeError"])
@pytest.mark.parametrize("at_end", [False, True])
def test_a_metric_that_raises_for_one_trial_costs_that_trial_only(fault: str, at_end: bool) -> None:
    population = with_one_wide_trial()
    plan = ReadingPlan(EvaluationConfig(samples=60, metrics=(Neighbours(), Touchy(fault=fault))))
    found = evaluate(population, plan, final=at_end)
    kind: FaultKind = "memory" if fault == "MemoryError" else "raised"
    assert [e.fault for e in found] == [
        None, None, None, Fault(f"{fault}: these samples are too wide", kind), None
    ]  # fmt: skip
    assert found[3].readings == ()
    quiet = evaluate(population, ReadingPlan(EvaluationConfig(samples=60, metrics=(Neighbours(),))), at_end)
    for index in (0, 1, 2, 4):
        assert {**found[index].metrics, "touchy": 1.0} == {**quiet[index].metrics, "touchy": 1.0}


def test_a_refinement_that_raises_for_one_trial_costs_that_trial_only() -> None:
    plan = ReadingPlan(EvaluationConfig(samples=60), (Choosy(), Obrs(budgets=(1.5,))))
    found = evaluate(with_one_wide_trial(), plan, final=True)
    assert found[3].fault == Fault("KeyError: 'wide'")
    for index in (0, 1, 2, 4):
        assert [r.key for r in found[index].readings] == [PLAIN, ("choosy", 2.0), ("obrs", 1.5)]


def test_a_fault_of_the_device_is_nobodys() -> None:
    plan = ReadingPlan(EvaluationConfig(samples=60, metrics=(Touchy(wide=0.0, fault="AcceleratorError"),)))
    with pytest.raises(torch.AcceleratorError):
        evaluate(with_one_wide_trial(), plan, final=False)


def test_sets_of_several_sizes_are_measured_each(monkeypatch: pytest.MonkeyPatch) -> None:
    population = trained("mlp_gan")
    whole = evaluate(population, PLAN, final=True)
    monkeypatch.setattr("trainables.evaluation.evaluate._CPU_NUMBERS", 1)  # one trial at a time
    for one, other in zip(evaluate(population, PLAN, final=True), whole, strict=True):
        assert [r.metrics for r in one.readings] == [r.metrics for r in other.readings]


@pytest.fixture(scope="module")
def of_images(learnt: Path) -> dict[str, Evaluation]:
    """Models of digits as they begin, read to the end."""
    plan = ReadingPlan(EvaluationConfig(samples=60), (Obrs(budgets=(2.0,)),))
    pixels = ReadingPlan(EvaluationConfig(samples=60, features=Identity()), plan.refinements)
    by_class = Population([trial(ByClass(), dataset=SmallDigits())])
    uniform = Population([trial(Uniform(), MaximumLikelihood(), dataset=SmallDigits(labelled=False))])
    (one,), (other,) = evaluate(by_class, plan, final=True), evaluate(uniform, pixels, final=True)
    return {"by class": one, "uniform": other}


def test_images_are_shown_as_bytes_with_those_refused(of_images: dict[str, Evaluation]) -> None:
    for evaluation in of_images.values():
        assert evaluation.fault is None
        plain, refined = evaluation.readings
        assert plain.samples is not None
        assert plain.rejected is None
        assert refined.rejected is not None
        assert evaluation.real is not None
        for images in (evaluation.real, plain.samples, refined.samples, refined.rejected):
            assert images is not None
            assert images.dtype == np.uint8
            assert images.shape[1:] == (1, 8, 8)
        assert pickle.loads(pickle.dumps(evaluation)).real.shape == evaluation.real.shape


def test_witnesses_among_images_are_images(of_images: dict[str, Evaluation]) -> None:
    for features, evaluation in zip(("classifier", "identity"), of_images.values(), strict=True):
        assert evaluation.findings is not None
        witnesses = evaluation.findings.witnesses
        assert witnesses is not None
        assert witnesses.features == features
        for side in (witnesses.outside, witnesses.missed):
            assert side.samples.dtype == np.uint8
            assert side.samples.shape[1:] == (1, 8, 8)
        assert [curve.name for curve in evaluation.findings.curves] == ["prd", "knn", "linear", "cover"]


def test_samples_made_for_a_class_are_shown_by_class(of_images: dict[str, Evaluation]) -> None:
    evaluation = of_images["by class"]
    assert evaluation.real_classes is not None
    assert sorted(set(evaluation.real_classes)) == list(range(10))
    for reading in evaluation.readings:
        assert reading.classes is not None
        assert reading.samples is not None
        shades = np.rint(reading.samples.mean((1, 2, 3)) / 255 * 9)  # class c is grey number c of ten
        assert np.array_equal(shades, reading.classes)
    assert of_images["uniform"].readings[0].classes is None
    assert of_images["uniform"].real_classes is None


def test_images_are_read_by_features_that_fit_them(of_images: dict[str, Evaluation]) -> None:
    assert 0 <= of_images["by class"].metrics["class_coverage"] < 1, "plain greys are no digits"
    assert "class_coverage" not in of_images["uniform"].metrics, "pixels tell no classes"
    assert of_images["uniform"].diagnostics["bits_per_dim"] == pytest.approx(np.log2(17))
    assert "nll" not in of_images["by class"].diagnostics
