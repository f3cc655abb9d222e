"""A sweep is valid or refused in one sentence; points that mean the same trial are one trial; nothing is started."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest

from explorer.errors import UserError
from explorer.sweep import load_sweep
from explorer.sweep.sweep import Document, build_sweep
from tests.explorer.sweep.refusal import refusal
from trainables.datasets import DATASETS, Dataset
from trainables.evaluation.reading import PLAIN

ONE = "space={training.ema: [0.9]}"
"""A space that leaves the objective to its section."""

CASES: dict[str, tuple[list[str], str]] = {
    "an unknown section": (["objektive.lam=1"], "no 'objektive'; did you mean 'objective'?"),
    "λ of nothing": ([ONE, "objective.lam=0"], "λ must be positive and finite, got 0"),
    "λ below nothing": ([ONE, "objective.lam=-2"], "λ must be positive and finite, got -2"),
    "λ without end": ([ONE, "objective.lam=.inf"], "λ must be positive and finite, got inf"),
    "λ of nothing in the space": (
        ["space={objective.lam: [1, -1]}"],
        "small λ for recall (at the point objective.lam = -1)",
    ),
    "λ of nothing at the end of a range": (
        ["space={objective.lam: {range: [-1, 1]}}", "search={name: random, trials: 3}"],
        "λ must be positive and finite, got -1",
    ),
    "a misspelt goal": (["search.objectives={precison: max}"], "did you mean 'precision'?"),
    "a direction that is none": (
        ["search.objectives={precision: up}"],
        "objective 'precision' must be 'max' or 'min', got 'up'",
    ),
    "no goal": (["search.objectives={}"], "at least one objective"),
    "a goal that is not measured": (
        ["evaluation.metrics=[neighbours]", "search.objectives={fid: min}"],
        "no metric is called 'fid'",
    ),
    "classes of points as a goal": (
        ["search.objectives={class_coverage: max}"],
        "'class_coverage', which needs features with class logits; dataset 'gaussians8' has none",
    ),
    "modes of images as a goal": (
        ["dataset={name: digits}", "evaluation.samples=100", "search.objectives={quality: max, recall: max}"],
        "'quality', which needs the exact law of the data; dataset 'digits' has none",
    ),
    "a goal that one of two datasets has": (
        ["space={dataset.name: [gaussians8, digits]}", "evaluation.samples=100", "search.objectives={modes_hit: max}"],
        "'modes_hit', which needs the exact law of the data; dataset 'digits' has none",
    ),
    "a cost as a goal": (["search.objectives={draws: min}"], "no metric is called 'draws'"),
    "a search without end": (["search.name=tpe"], "set search.trials or --trials"),
    "λ of nothing that every point overrides": (["objective.lam=0"], "λ must be positive and finite, got 0"),
    "no seeds": (["seeds=0"], "seeds must be"),
    "seeds without end": (["seeds=4611686018427387905"], "seeds must be a number from 1 to 10000"),
    "seeds that are none": (["seeds=true"], "'seeds' must not be a truth value, got True"),
    "seeds that are a word": (["seeds=abc"], "'seeds' must be a whole number, got 'abc'"),
    "a refinement that is a word": (["refinement=abc"], "'refinement' must be a section with keys, got 'abc'"),
    "a name that is a list": (["space={objective.name: [[1]]}"], "'objective.name' cannot be [1]"),
    "an axis that has moved": (["space={training.warmup: [1]}"], "it is 'objective.warmup' now"),
    "a seed twice": (["seeds=[1, 1]"], "seeds must be"),
    "a negative seed": (["seeds=[-1]"], "seeds must be"),
    "a seed beyond 62 bits": (["seeds=[4611686018427387904]"], "[0, 2^62)"),
    "a range that a grid cannot walk": (["space={objective.lam: {range: [1, 3]}}"], "a grid needs 'steps'"),
    "likelihood without a density": (
        ["space={objective.name: [mle]}"],
        "needs a likelihood, which model 'mlp_gan' lacks; use model realnvp",
    ),
    "a flow of numbers": (
        [ONE, "model={name: realnvp}", "dataset.name=mixture1d"],
        "needs images, or points of at least 2",
    ),
    "more neighbours than samples": (["evaluation.samples=3"], "use more samples or a smaller evaluation.k"),
    "a section that is a number": (["training=3"], "'training' must be a section with keys, got 3"),
    "a name with a space": (["name=a b"], "a sweep's name is letters"),
    "a name of a hundred and one letters": ([f"name={'a' * 101}"], "at most 100 of them"),
    "a name that is a number": (["name=3"], "'name' must be text, got 3"),
    "nothing to run on": (["resources.cpus=.nan"], "resources.cpus must be positive"),
    "a plugin that is nowhere": (["plugins=[nowhere_to_be_found]"], "plugin 'nowhere_to_be_found' was not found"),
    "plugins that are no list": (["plugins=mine"], "'plugins' must be a list"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_each_fault_gets_its_sentence(case: str) -> None:
    assignments, sentence = CASES[case]
    assert sentence in refusal(*assignments)


def test_a_sweep_needs_nothing_but_a_name() -> None:
    sweep = build_sweep({"name": "bare"})
    assert list(sweep.space.grid()) == [{}]
    assert (sweep.seeds, sweep.search.name, sweep.stopping.name) == ((0,), "grid", "none")
    assert sweep.points is None
    assert set(sweep.plan.readings()) == {PLAIN, ("obrs", 1.5), ("obrs", 2.0), ("obrs", 4.0)}
    with pytest.raises(UserError, match="'name' must be given"):
        build_sweep({})


def test_the_document_is_the_whole_file_as_plain_data() -> None:
    raw = {"name": "x", "objective": {"name": "kl"}, "space": {"training.ema": [0.9]}, "seeds": [3, 5]}
    document = build_sweep(raw).document
    assert {key: document[key] for key in raw} == raw
    assert set(document) == {f.name for f in Document.declared()}
    assert build_sweep(document).document == document


def test_points_are_the_trials_over_the_seeds_rounded_up() -> None:
    assert load_sweep("demo", trials=7, seeds=3).points == 3
    assert load_sweep("demo", trials=6, seeds=3).points == 2
    assert load_sweep("demo").points is None


def test_repeats_differ_in_the_seed_alone() -> None:
    sweep = load_sweep("demo", ["seeds=[4, 2]"])
    one, two = sweep.repeats({"objective.lam": 2})
    assert (one.seed, two.seed) == (4, 2)
    assert replace(one, seed=2) == two


def test_an_axis_that_a_member_does_not_have_makes_no_trials_of_its_own() -> None:
    sweep = load_sweep("demo", ["space={objective.name: [kl, pr], objective.lam: [1, 2, 4]}"])
    by_name: dict[str, set[str]] = {}
    for point in sweep.space.grid():
        trial = sweep.trial(point, 0)
        by_name.setdefault(trial.objective.name, set()).add(trial.identity())
    assert {name: len(trials) for name, trials in by_name.items()} == {"kl": 1, "pr": 3}


def test_what_is_read_is_no_part_of_an_identity() -> None:
    def identities(*assignments: str) -> list[str]:
        sweep = load_sweep("demo", assignments)
        return [sweep.trial(point, 0).identity() for point in sweep.space.grid()]

    plain = identities()
    assert identities("refinement.budgets=[3]") == identities("refinement={name: none}") == plain
    assert identities("evaluation={samples: 50, k: 2, every: 7, metrics: [neighbours, frechet]}") == plain
    assert identities("stopping={name: plateau}") == plain
    assert identities("training.ema=0.9") != plain


def test_equal_values_have_one_identity_however_they_are_written() -> None:
    sweep = load_sweep("demo")
    assert (
        sweep.trial({"objective.lam": 2}, 0).identity() == sweep.trial({"objective.lam": 2.0}, 0).identity()
    )


@dataclass(frozen=True)
class Lawless(Dataset):
    name: ClassVar[str] = "lawless"
    shape: ClassVar[tuple[int, ...]] = (2,)  # type: ignore[assignment]

    def source(self) -> Any:
        raise NotImplementedError


@pytest.fixture
def lawless() -> None:
    DATASETS.add(Lawless)


@pytest.mark.usefixtures("lawless")
def test_a_metric_of_the_law_is_refused_on_data_without_one() -> None:
    asked = "evaluation.metrics=[neighbours, frechet, modes]"
    assert (
        "metric 'modes' needs the exact law of the data, which dataset 'lawless' has not; leave it out"
        in refusal("dataset.name=lawless", asked)
    )
    assert "lawless" in refusal("space={dataset.name: [gaussians8, lawless]}", asked), "at one point of many"
    assert load_sweep("demo", [asked]).plan.goals()[-1] == "modes_held"
    load_sweep("demo", ["dataset.name=lawless"])  # left open, what cannot be had is left out
    load_sweep("demo", ["dataset.name=lawless", "evaluation.metrics=[neighbours, frechet]"])


def test_nothing_of_torch_is_loaded_to_read_a_sweep() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from explorer.sweep import load_sweep; load_sweep('demo'); load_sweep('gaussians-8-small'); "
        "print([m for m in ('torch', 'ray', 'mlflow', 'optuna') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", ["asha", "ASHA", "median-stopping", "pbt"])
def test_schedulers_of_one_metric_are_refused_with_what_to_use(name: str) -> None:
    with pytest.raises(UserError, match=f"stopping '{name}' ranks trials by one metric, .* use 'halving'"):
        build_sweep({"name": "x", "stopping": {"name": name}})
