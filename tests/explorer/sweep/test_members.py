"""Members are built from mappings; a wrong name or field is refused with the names there are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from explorer.errors import UserError
from explorer.search import SEARCHES
from explorer.stopping import STOPPERS
from explorer.sweep import load_sweep
from explorer.sweep.members import (
    Made,
    build_config,
    build_evaluation,
    build_member,
    build_plan,
    build_trial,
    member_class,
)
from tests.explorer.sweep.refusal import refusal
from trainables.config import FAMILIES, TrainingConfig, TrialConfig
from trainables.extractors.identity import Identity
from trainables.metrics.frechet import Frechet
from trainables.metrics.neighbours import Neighbours
from trainables.models import MODELS
from trainables.models.mlp_gan import MlpGan
from trainables.objectives import OBJECTIVES
from trainables.objectives.pr import PR
from trainables.refinements import REFINEMENTS, Proposals, Refined, Refinement
from trainables.refinements.obrs import Obrs

CASES = {
    "objective.name=prr": "'objective.name' cannot be 'prr'; did you mean 'pr'?",
    "dataset.name=gaussian8": "did you mean 'gaussians8'?",
    "model.name=xyz": f"'model.name' cannot be 'xyz'; it can be {', '.join(MODELS.names())}",
    "constraint.name=spektral": "did you mean 'spectral'?",
    "refinement.name=obsr": "'refinement.name' cannot be 'obsr'; did you mean 'obrs'?",
    "search.name=tpf": "did you mean 'tpe'?",
    "stopping.name=platau": "'stopping.name' cannot be 'platau'; did you mean 'plateau'?",
    "evaluation.metrics=[nieghbours]": "metrics[0].name' cannot be 'nieghbours'; did you mean 'neighbours'?",
    "evaluation.metrics=[neighbours, {name: frecht}]": "'evaluation.metrics[1].name' cannot be 'frecht'; did you mean",
    "evaluation.features=inceptoin": "'evaluation.features.name' cannot be 'inceptoin'; did you mean 'inception'?",
    "evaluation.features={name: vgg61}": "did you mean 'vgg16'?",
    "model.couplings=4": "model 'mlp_gan' has no 'couplings', only generator, critic, latent, slope, bounded",
    "model.size=huge": "'size' of mlp_gan must be one of small, medium, thesis, got 'huge'",
    "model.generator=[]": "model.generator needs at least one hidden layer",
    "model.latent=two": "'model.latent' must be a whole number, got 'two'",
    "search.sed=3": "search 'grid' has no 'sed', only trials, objectives",
    "stopping.patience=3": "stopper 'none' has no 'patience', and no fields at all",
    "refinement.budget=[2]": "refinement 'obrs' has no 'budget', only budgets; did you mean 'budgets'?",
    "refinement.budgets=[1, 0.5]": "budget K must be ≥ 1, got 0.5; use K=1 to accept every sample",
    "refinement={name: none, budgets: [2]}": "refinement 'none' has no 'budgets', and no fields at all",
    "refinement=[{name: obrs}, {name: obrs, budgets: [3]}]": "'obrs' is listed twice; give its budgets in one entry",
    "evaluation.metrics=[neighbours, neighbours]": "measures 'precision' twice; name each metric once",
    "evaluation.metrics=[]": "'evaluation.metrics' must be a list such as [neighbours, frechet], got []",
    "evaluation.metrics=neighbours": "'evaluation.metrics' must be a list such as",
    "evaluation.metrics=[3]": "'evaluation.metrics[0]' must be a section with keys, got 3",
    "evaluation.metrics=[{name: prd, cluster: 3}]": "metric 'prd' has no 'cluster', only clusters, runs; did you mean",
    "evaluation.features={name: inception, weihgts: x}": "extractor 'inception' has no 'weihgts', only weights",
    "evaluation.sample=3": "only samples, k, every, features, metrics, intervals, repeats; did you mean 'samples'?",
    "evaluation=3": "'evaluation' must be a section with keys, got 3",
    "training.iterations=abc": "'training.iterations' must be a whole number, got 'abc'",
    "training.iterations=-1": "training.iterations must be ≥ 1, got -1",
    "training.iterations=0": "training.iterations must be ≥ 1, got 0; only a trial with start: {from: base",
    "training.ema=1": "training.ema must be in [0, 1), got 1",
}  # fmt: skip


@pytest.mark.parametrize("assignment", CASES)
def test_each_fault_gets_its_sentence(assignment: str) -> None:
    assert CASES[assignment] in refusal(assignment)


@dataclass(frozen=True)
class Halving(Refinement):
    """Every other draw."""

    name: ClassVar[str] = "halving"
    budgets: tuple[float, ...] = (2.0,)
    strict: bool = False

    def asked(self) -> tuple[float, ...]:
        return self.budgets

    def proposals(self, samples: int) -> int:
        return 2 * samples

    def refine(self, proposals: Proposals, samples: int) -> Iterator[Refined]:
        raise NotImplementedError


@pytest.fixture
def halving() -> None:
    REFINEMENTS.add(Halving)


@pytest.mark.usefixtures("halving")
def test_trials_may_be_read_through_two_refinements() -> None:
    sweep = load_sweep(
        "demo", ["refinement=[{name: obrs, budgets: [1, 2]}, {name: halving, budgets: [2, 3]}]"]
    )
    assert [r.name for r in sweep.plan.refinements] == ["obrs", "halving"]
    marks = sweep.plan.readings()
    assert set(marks) == {("none", 1.0), ("obrs", 2.0), ("halving", 2.0), ("halving", 3.0)}
    assert marks["obrs", 2.0] != marks["halving", 2.0], "the method is part of the mark"
    assert marks["halving", 2.0] == marks["halving", 3.0], "which budgets are asked is not"
    alone = load_sweep("demo", ["refinement={name: halving, strict: true}"]).plan.readings()
    assert alone["none", 1.0] == marks["none", 1.0]
    assert alone["halving", 2.0] != marks["halving", 2.0]
    assert "refinement[1].stict" in refusal("refinement=[{name: obrs}, {name: halving, stict: true}]")
    assert "'refinement[1].name' cannot be 'halvin'; did you mean 'halving'?" in refusal(
        "refinement=[{name: obrs}, {name: halvin}]"
    )


def test_a_member_is_a_name_or_a_mapping() -> None:
    assert build_member(OBJECTIVES, "pr", "objective") == build_member(
        OBJECTIVES, {"name": "pr"}, "objective"
    )
    assert build_member(OBJECTIVES, {"lam": 3}, "objective") == PR(lam=3.0), (
        "the family's default, if none is named"
    )
    with pytest.raises(UserError, match="'objective' must be a section with keys, got 3"):
        build_member(OBJECTIVES, 3, "objective")


def test_shorthands_stand_for_fields_and_fields_given_win() -> None:
    built = build_member(MODELS, {"size": "medium", "generator": [5]}, "model")
    assert built == MlpGan(generator=(5,), critic=(128, 128, 128))


def test_metrics_are_names_or_mappings() -> None:
    built = build_evaluation({"metrics": ["neighbours", {"name": "frechet"}], "features": "identity"})
    assert built.metrics == (Neighbours(), Frechet())
    assert built.features == Identity()
    assert build_evaluation({"metrics": None}).metrics is None


def test_a_config_refuses_what_is_no_mapping() -> None:
    with pytest.raises(UserError, match="'training' must be a section"):
        build_config(TrainingConfig, [1], "training")
    assert build_config(TrainingConfig, {"ema": 0}, "training") == TrainingConfig(ema=0.0)


def test_a_plan_of_one_refinement_or_a_list() -> None:
    one = build_plan({}, {"budgets": [3]})
    assert one == build_plan({}, [{"name": "obrs", "budgets": [3]}])
    assert one.refinements == (Obrs(budgets=(3.0,)),)
    with pytest.raises(UserError, match="'refinement' must be a section"):
        build_plan({}, 3)


def test_a_trial_is_its_plain_self_again() -> None:
    config = load_sweep("gaussians-8-small").trial({"objective.name": "pr", "objective.lam": 2}, 3)
    assert build_trial(config.plain(), 3) == config
    assert build_trial({}, 0) == TrialConfig()
    with pytest.raises(UserError, match=r"\[0, 2\^62\)"):
        build_trial({}, -1)


def test_sections_that_stay_as_they_were_are_made_once() -> None:
    last: Made = {}
    first = build_trial({"objective": {"name": "pr", "lam": 1.0}}, 0, last)
    second = build_trial({"objective": {"name": "pr", "lam": 2.0}}, 1, last)
    assert second == build_trial({"objective": {"name": "pr", "lam": 2.0}}, 1)
    assert second.model is first.model
    assert second.training is first.training
    build_trial({"objective": {"name": "pr", "lam": 1}}, 0, last)
    with pytest.raises(UserError, match="must not be a truth value, got True"):  # though 1 == True
        build_trial({"objective": {"name": "pr", "lam": True}}, 0, last)


class _Broken:
    """Stands for an installed package that fails to import."""

    name = "broken"

    def load(self) -> Any:
        raise ImportError("No module named 'absent'\nand a long story")


def test_a_package_that_does_not_import_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trainables.family._entries", lambda group: (_Broken(),))
    with pytest.raises(UserError) as caught:
        member_class(MODELS, "broken", "model")
    assert str(caught.value) == "model 'broken' cannot be imported: ImportError: No module named 'absent'"


@pytest.mark.parametrize(
    "family", [*FAMILIES.values(), REFINEMENTS, SEARCHES, STOPPERS], ids=lambda f: f.noun
)
def test_every_member_of_every_family_is_found_by_its_name(family: Any) -> None:
    for name in family:
        assert member_class(family, name, family.noun).name == name
