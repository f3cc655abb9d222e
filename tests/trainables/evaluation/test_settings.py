"""How trials are read: refusals, and marks that change exactly where a number would."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.trainables.evaluation.images import SmallDigits
from tests.trainables.training.members import Clusters
from trainables.datasets import Dataset
from trainables.datasets.celeba import CelebA
from trainables.datasets.digits import Digits
from trainables.datasets.fashion_mnist import FashionMnist
from trainables.datasets.gaussians8 import Gaussians8
from trainables.datasets.mnist import Mnist
from trainables.evaluation.reading import PLAIN
from trainables.evaluation.settings import EvaluationConfig, ReadingPlan
from trainables.extractors import FeatureExtractor
from trainables.extractors.classifier import OwnClassifier
from trainables.extractors.identity import Identity
from trainables.extractors.inception import Inception
from trainables.extractors.torchscript import TorchScript
from trainables.extractors.vgg16 import Vgg16
from trainables.metrics import everyday_metrics
from trainables.metrics.classes import ClassCoverage
from trainables.metrics.frechet import Frechet
from trainables.metrics.kernel import Kernel
from trainables.metrics.modes import ModesOfLaw
from trainables.metrics.neighbours import Neighbours
from trainables.metrics.pr_cover import PRCover
from trainables.refinements import Refinement
from trainables.refinements.none import AsItIs
from trainables.refinements.obrs import Obrs


@dataclass(frozen=True)
class Tempered(Obrs):
    """A refinement with a field of its own."""

    name: ClassVar[str] = "tempered"
    temperature: float = 1.0


def plan(*refinements: Refinement, **fields: Any) -> ReadingPlan:
    return ReadingPlan(EvaluationConfig(**fields), refinements or (Obrs(),))


def test_every_reading_has_a_mark_of_its_method() -> None:
    marks = plan(Obrs(budgets=(1, 2, 4)), Tempered(budgets=(2,))).readings()
    assert list(marks) == [PLAIN, ("obrs", 2.0), ("obrs", 4.0), ("tempered", 2.0)]
    assert marks["obrs", 2.0] == marks["obrs", 4.0]  # the budget is in the key
    assert len({marks[PLAIN], marks["obrs", 2.0], marks["tempered", 2.0]}) == 3


@pytest.mark.parametrize(
    "fields",
    [
        {"samples": 999},
        {"k": 4},
        {"repeats": 2},
        {"metrics": (Neighbours(),)},
        {"metrics": (*everyday_metrics(), Kernel())},
        {"metrics": (Frechet(), Neighbours(), ModesOfLaw())},
        {"features": TorchScript(file="net.pt")},
    ],
)
def test_what_a_number_depends_on_changes_every_mark(fields: dict[str, Any]) -> None:
    before, after = plan().readings(), plan(**fields).readings()
    assert before.keys() == after.keys()
    assert all(after[key] != mark for key, mark in before.items())


@pytest.mark.parametrize(
    "fields", [{"every": 7}, {"metrics": everyday_metrics()}, {"samples": 1000, "k": 3, "repeats": 1}]
)
def test_what_no_number_depends_on_changes_none(fields: dict[str, Any]) -> None:
    assert plan(**fields).readings() == plan().readings()


def test_a_field_of_a_metric_changes_the_marks() -> None:
    one, other = (plan(metrics=(PRCover(factor=f),)).readings() for f in (3, 2))
    assert all(one[key] != other[key] for key in one)


@given(new=st.floats(1.01, 50))
def test_a_new_budget_leaves_the_marks_of_others(new: float) -> None:
    before = plan(Obrs(budgets=(2, 4))).readings()
    after = plan(Obrs(budgets=(2, new, 4))).readings()
    assert {key: after[key] for key in before} == before
    assert set(after) == {*before, ("obrs", new)}


def test_a_field_of_a_refinement_changes_its_own_marks_alone() -> None:
    before = plan(Obrs(budgets=(2,)), Tempered(budgets=(2,))).readings()
    after = plan(Obrs(budgets=(2,)), Tempered(budgets=(2,), temperature=2)).readings()
    changed = {key for key in before if before[key] != after[key]}
    assert changed == {("tempered", 2.0)}


def test_a_new_field_with_a_neutral_default_changes_no_mark() -> None:
    @dataclass(frozen=True)
    class Later(Obrs):
        extra: float = 0.5

    @dataclass(frozen=True)
    class LaterKernel(Kernel):
        extra: float = 0.5

    assert plan(Later()).readings() == plan(Obrs()).readings()
    assert plan(Later(extra=1)).readings() != plan(Obrs()).readings()
    assert plan(metrics=(LaterKernel(),)).readings() == plan(metrics=(Kernel(),)).readings()


def test_a_new_version_changes_the_marks() -> None:
    @dataclass(frozen=True)
    class Newer(Obrs):
        version: ClassVar[int] = Obrs.version + 1

    before, after = plan().readings(), plan(Newer()).readings()
    assert before[PLAIN] == after[PLAIN]
    assert all(before[key] != after[key] for key in before if key != PLAIN)


def test_proposals_are_enough_for_every_refinement() -> None:
    assert plan(AsItIs(), samples=50).proposals() == 50
    both = plan(AsItIs(), Obrs(budgets=(3,)), samples=50)
    assert both.proposals() == Obrs(budgets=(3,)).proposals(50)
    assert ReadingPlan(EvaluationConfig(samples=50), ()).proposals() == 50


def test_the_catalogue_has_goals_first_then_costs_and_diagnostics() -> None:
    chosen = plan(metrics=(Kernel(), Neighbours()))
    keys = [entry.key for entry in chosen.catalogue()]
    assert keys[:5] == chosen.goals() == ["kid", "precision", "recall", "density", "coverage"]
    assert {"acceptance", "draws", "critic_loss", "lam_inert"} <= set(keys[5:])
    assert plan().goals()[:5] == ["precision", "recall", "density", "coverage", "fid"]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        *[
            ({name: 0}, f"evaluation.{name} must be positive and finite, got 0")
            for name in ("samples", "k", "every", "repeats")
        ],
        (
            {"samples": 3, "k": 3},
            "evaluation.samples must exceed the neighbours that metrics look at, got 3 samples for 3 neighbours "
            "(k=3); use more samples or a smaller evaluation.k",
        ),
        (
            {"samples": 9, "k": 3, "metrics": (PRCover(),)},
            "evaluation.samples must exceed the neighbours that metrics look at, got 9 samples for 9 neighbours "
            "(k=3); use more samples or a smaller evaluation.k",
        ),
        (
            {"metrics": (Kernel(), Kernel(block=5))},
            "evaluation.metrics measures 'kid' twice; name each metric once",
        ),
    ],
)
def test_refusals(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        EvaluationConfig(**fields)
    assert str(refusal.value) == sentence


def test_one_class_teaches_a_classifier_nothing() -> None:
    with pytest.raises(
        ValueError, match=r"^features 'classifier' learn to tell classes apart, and dataset 'digits' has"
    ):
        EvaluationConfig(features=OwnClassifier()).check_data(Digits(only=("3",)))
    with pytest.raises(ValueError, match=r"dataset 'celeba' has none; use features identity or inception$"):
        EvaluationConfig(features=OwnClassifier()).check_data(CelebA())
    EvaluationConfig(features=OwnClassifier()).check_data(Digits(only=("3", "4")))


def test_a_refinement_is_listed_once() -> None:
    with pytest.raises(
        ValueError, match=r"^refinement 'obrs' is listed twice; give its budgets in one entry$"
    ):
        plan(Obrs(budgets=(2,)), Obrs(budgets=(3,)))


def test_a_metric_that_can_never_be_had_is_refused() -> None:
    asked = EvaluationConfig(metrics=(ModesOfLaw(),))
    asked.check_data(Gaussians8())
    EvaluationConfig().check_data(Clusters())  # left open: as far as the data allows
    with pytest.raises(ValueError, match=r".") as refusal:
        asked.check_data(Clusters())
    assert str(refusal.value) == (
        "metric 'modes' needs the exact law of the data, which dataset 'clusters' has not; leave it out"
    )


@pytest.mark.parametrize("features", [Inception(), Vgg16(), TorchScript(file="a.pt"), OwnClassifier()])
def test_features_of_images_are_not_had_from_points(features: FeatureExtractor) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        EvaluationConfig(features=features).check_data(Gaussians8())
    assert str(refusal.value) == (
        f"features '{features.name}' are of images, and dataset 'gaussians8' has points of shape (2,); "
        "use features identity"
    )


def test_plans_are_plain_values() -> None:
    assert hash(plan()) == hash(plan())
    assert plan() == replace(plan())
    assert EvaluationConfig(metrics=[Kernel()]).metrics == (Kernel(),)  # type: ignore[arg-type]


def test_marks_of_points_are_what_they_were_before_features_could_be_left_open() -> None:
    marks = {PLAIN: "029390f3bf1b", **{("obrs", k): "f2a1f0ffd2ba" for k in (1.5, 2.0, 4.0)}}
    assert plan().readings() == plan().of(Gaussians8()).readings() == marks
    assert plan(features=Identity()).readings() == marks


def test_features_left_open_are_those_of_the_dataset_and_in_the_mark() -> None:
    digits = plan().of(SmallDigits())
    assert digits.evaluation.features == OwnClassifier()
    assert digits.readings() == plan(features=OwnClassifier()).readings()
    assert not set(digits.readings().values()) & set(plan().of(Gaussians8()).readings().values())
    assert plan(features=Identity()).of(SmallDigits()).evaluation.features == Identity()


def test_classes_are_measured_where_features_tell_them() -> None:
    assert plan().of(SmallDigits()).evaluation.chosen() == (*everyday_metrics(), ClassCoverage())
    assert plan().of(Gaussians8()).evaluation.chosen() == everyday_metrics()
    assert "class_coverage" in plan().goals(), "a sweep may vary its dataset"
    asked = EvaluationConfig(metrics=(ClassCoverage(),))
    asked.check_data(SmallDigits())
    with pytest.raises(
        ValueError, match="metric 'classes' needs class logits, which features 'identity' have not"
    ):
        asked.check_data(Gaussians8())


def test_intervals_change_marks_and_have_entries() -> None:
    before, after = plan().readings(), plan(intervals=True).readings()
    assert all(after[key] != mark for key, mark in before.items())
    keys = [entry.key for entry in plan(intervals=True, metrics=(Kernel(),)).catalogue()]
    assert keys[:3] == ["kid", "kid.low", "kid.high"]
    assert plan(intervals=True, metrics=(Kernel(),)).goals() == ["kid"]


@pytest.mark.parametrize(
    ("dataset", "most"),
    [
        (Digits(), 359),
        (Digits(held_out=0.5), 898),
        (FashionMnist(only=("bag", "coat")), 2000),
        (Mnist(), 10_000),
    ],
)
def test_no_more_samples_than_are_held_out(dataset: Dataset, most: int) -> None:
    EvaluationConfig(samples=most).check_data(dataset)
    with pytest.raises(
        ValueError, match=rf"at most the {most} samples .*; use evaluation\.samples: {most} or fewer"
    ):
        EvaluationConfig(samples=most + 1).check_data(dataset)


def test_what_is_held_out_is_not_always_known() -> None:
    assert Digits(only=("3",)).held_out_count is None
    assert Digits().held_out_count == len(Digits().source().reference(359).x)
    EvaluationConfig(samples=10**6).check_data(Gaussians8())


def test_what_data_cannot_give_is_told_apart() -> None:
    plan = ReadingPlan(EvaluationConfig(samples=100))
    of_points, of_images = (plan.out_of_reach(dataset) for dataset in (Gaussians8(), Digits()))
    assert set(of_points.values()) == {"features with class logits"}
    assert set(of_images.values()) == {"the exact law of the data"}
    assert {"class_coverage", "class_distance"} <= set(of_points)
    assert {"quality", "modes_hit"} <= set(of_images)
    assert not {"precision", "recall", "fid"} & {*of_points, *of_images}
