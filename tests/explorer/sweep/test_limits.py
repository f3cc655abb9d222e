"""What no machine could bear is refused when the sweep is read, not when it runs: the limits of docs/sweep-file.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.sweep import load_sweep
from tests.explorer.sweep.refusal import refusal

ONE = "space={training.ema: [0.9]}"
FLOW = ["model={name: realnvp}", ONE]
RINGS = "dataset.name=rings"

LIMITS: dict[str, tuple[list[str], str]] = {
    "seeds": (["seeds=1000000000"], "seeds must be a number from 1 to 10000"),
    "trials of a grid": (
        ["space={training.ema: {range: [0.1, 0.9], steps: 1000}, training.beta1: {range: [0.1, 0.9], steps: 1000}}"],
        "a sweep has at most 20,000 trials, got 4,000,000 with 4 seeds; use fewer steps or seeds",
    ),
    "trials of a search": (["search={name: random, trials: 1000000000}", ONE], "got 1,000,000,000 with 4 seeds"),
    "steps": (["space={objective.lam: {range: [1, 3], steps: 1000000000}}"], "a whole number from 1 to 1000"),
    "ends of a range": (["space={objective.lam: {range: [1, 1e200], steps: 2}}"], "must lie within ±1e+100"),
    "ends of a ratio": (["space={objective.lam: {log_range: [1e-200, 1], steps: 2}}"], "must lie within ±1e+100"),
    "iterations": (["training.iterations=1000000000000"], "training.iterations must be at most 1,000,000,000"),
    "batch": (["training.batch_size=1000000000000"], "training.batch_size must be at most 1,000,000, got"),
    "critic steps": (["training.critic_steps=1000000"], "training.critic_steps must be at most 1,000"),
    "a width": (["model.generator=[1000000000]"], "model.generator widths must be at most 65,536"),
    "layers": ([f"model.critic={[8] * 101}"], "the number of layers in model.critic must be at most 100, got 101"),
    "weights": (["model.critic=[65536, 65536]"], "the weights of model.critic must be at most 1,000,000,000"),
    "latent": (["model.latent=1000000000"], "model.latent must be at most 65,536"),
    "a flow's width": ([*FLOW, "model.width=1000000000"], "model.width must be at most 65,536"),
    "the layer behind the latent": (
        ["model={generator: [65536], latent: 65536}", ONE],
        "the weights of the generator must be at most",
    ),
    "averages that forget nothing": (["training.beta2=0.99999999", ONE], "training.beta2 must be at most 0.999999"),
    "couplings": ([*FLOW, "model.couplings=1000000"], "model.couplings must be at most 1,000"),
    "a flow's weights": ([*FLOW, "model.width=10000", "model.couplings=100"], "the weights of the generator must"),
    "rings": ([RINGS, f"dataset.radii={[1] * 101}"], "the number of rings in dataset.radii must be at most 100"),
    "a radius": ([RINGS, "dataset.radii=[1e300]", "dataset.sigma=1e300"], "must be at most 1,000,000.0"),
    "λ in single precision": ([ONE, "objective.lam=1e300"], "λ must lie within single precision"),
    "λ next to nothing": ([ONE, "objective.lam=1e-300"], "λ must lie within single precision"),
    "a constant": (["constraint={name: spectral, lipschitz: 1e300}", ONE], "within single precision"),
    "likelihood": ([*FLOW, "objective.likelihood=1e300"], "objective.likelihood must be at most 1e+30"),
    "samples": (["evaluation.samples=1000000000"], "evaluation.samples must be at most 1,000,000"),
    "a budget": (["refinement.budgets=[1e9]"], "the largest budget K asks for 1.19e+12 draws of every trial"),
    "a budget beyond all": (["refinement.budgets=[1e308]"], "budget K must be at most 1,000,000,000"),
    "budgets": ([f"refinement.budgets={[2] * 101}"], "the number of refinement.budgets must be at most 100"),
    "clusters": (["evaluation.metrics=[neighbours, {name: prd, clusters: 100000}]"],
                 "clusters of metric prd must be at most 1,000"),
    "clusters beyond the samples": (
        ["evaluation.metrics=[neighbours, {name: prd, clusters: 1000}]", "evaluation.samples=100"],
        "metric 'prd' needs at least 500 evaluation.samples, got 100"),
    "a sampler's seed": (["search={name: random, trials: 2, seed: 2147483648}", ONE],
    "search.seed must be in [0, 2^31)"),
    "a description": ([f"description={'a' * 5001}"], "description must hold at most 5,000 characters, got 5,001"),
    "plugins": ([f"plugins={['x'] * 101}"], "plugins must be at most 100 modules, got 101"),
    "a plugin's path": (["plugins=['~nobody_here/x']"], "a plugin must begin with a user of this machine"),
    "a plugin that is this program": (["plugins=[__main__]"], "plugin '__main__' "),
    "cores": (["resources.cpus=1e300"], "resources.cpus must be at most 10,000"),
    "a sliver of a core": (["resources.cpus=1e-300"], "resources.cpus must be at least 0.001"),
    "a card and a half": (["resources.gpus=1.5"], "resources.gpus must be a part of one card or whole cards"),
    "a rate": (["training.generator_lr=1e308"], "training.generator_lr must lie within single precision"),
    "a rate next to nothing": (["training.critic_lr=1e-320"], "training.critic_lr must lie within single precision"),
    "retries": (["resources.retries=1000000"], "resources.retries must be at most 10,000"),
    "a storage of nobody": (["resources.storage=~nobody_here/x"], "must begin with a user of this machine"),
    "a storage that is an address": (["resources.storage=ftp://host/x"], "resources.storage must be a folder, file:///"),
    "weights of nobody": (["evaluation.features={name: vgg16, weights: ~nobody_here/x}"], "must begin with a user"),
    "a network of nobody": (["evaluation.features={name: torchscript, file: ~nobody_here/x}"],
    "must begin with a user"),
    "an address without a host": (["tracking.uri=http://"], "tracking.uri must be sqlite:///FILE"),
    "an address half open": (["tracking.uri='http://[::1'"], "tracking.uri must be sqlite:///FILE"),
    "an address without a scheme": (["tracking.uri=mlflow.db"], "tracking.uri must be sqlite:///FILE"),
    "a port beyond ports": (["tracking.uri=http://host:99999"], "tracking.uri must be sqlite:///FILE"),
    "a host that is none": (["tracking.uri=http://-"], "tracking.uri must be sqlite:///FILE"),
    "a host too long": ([f"tracking.uri=http://{'a' * 64}.org"], "tracking.uri must be sqlite:///FILE"),
    "a driver there is not": (["tracking.uri=sqlite+foo:///x.db"], "tracking.uri must be sqlite:///FILE"),
    "a store in memory": (["tracking.uri='sqlite:///:memory:'"], "tracking.uri must be sqlite:///FILE"),
    "a port in words": (["tracking.uri=postgresql://h:abc/x"], "tracking.uri must be sqlite:///FILE"),
    "a store of nobody": (["tracking.uri=sqlite:///~nobody_here/x"], "must begin with a user of this machine"),
    "an experiment without a name": (["tracking.experiment=' '"], "tracking.experiment must be a name"),
    "a truth value for a number": (["objective.lam=yes", ONE], "'objective.lam' must not be a truth value, got True"),
    "a truth value among numbers": (["model.critic=[8, on]"], "'model.critic' must not be a truth value"),
}  # fmt: skip


@pytest.mark.parametrize("case", LIMITS)
def test_what_no_machine_could_bear_is_refused(case: str) -> None:
    assignments, sentence = LIMITS[case]
    assert sentence in refusal(*assignments)


def test_a_password_in_an_address_is_not_told() -> None:
    assert "secret" not in refusal("tracking.uri=http://me:secret@host:99999")


@pytest.mark.parametrize(
    "assignments",
    [
        ["search.trials=1000000000"],
        [
            "space={training.ema: {range: [0.1, 0.9], steps: 1000}, training.beta1: [0.1, 0.2]}",
            "search.trials=5",
        ],
        ["refinement.budgets=[1234567.5]", "evaluation.samples=16"],
        ["training.iterations=1000000000", "training.batch_size=1000000"],
        ["tracking.uri=postgresql://host/db"],
        ["tracking.uri=postgresql+psycopg2:///db"],
        ["tracking.uri=http://mlflow_server.cluster-1.example.org.:5000/path"],
        ["tracking.uri='http://[::1]:5000'"],
        ["seeds=10000", "search.trials=100"],
    ],
)
def test_what_is_large_but_can_be_meant_is_read(assignments: list[str]) -> None:
    assert load_sweep("demo", assignments).name == "demo"


def test_no_more_seeds_are_built_than_trials_may_run() -> None:
    sweep = load_sweep("demo", ["seeds=10000", "search.trials=3"])
    assert [trial.seed for trial in sweep.repeats({})] == [0, 1, 2]


def test_a_plugin_that_ends_the_program_is_refused(tmp_path: Path) -> None:
    (tmp_path / "leaving.py").write_text("raise SystemExit(0)\n")
    file = tmp_path / "sweep.yaml"
    file.write_text("plugins: [leaving]\n")
    with pytest.raises(UserError, match="plugin 'leaving' cannot be imported: SystemExit"):
        load_sweep(str(file))


@pytest.mark.parametrize(
    "text",
    ['name: "\\U00110000"', 'name: "\\UFFFFFFFF"', f"%YAML 1.{'9' * 5000}\n---\nname: x"],
    ids=["a character", "a larger one", "a version"],
)
def test_what_yaml_itself_stumbles_over_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "sweep.yaml"
    file.write_text(text)
    with pytest.raises(UserError, match="is not valid YAML: it holds a character or a number that is beyond"):
        load_sweep(str(file))


@pytest.mark.parametrize("field", ["resources.storage={}", "tracking.uri=sqlite:///{}"])
def test_a_path_in_a_circle_is_refused(field: str, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert "must not be a link that leads back to itself" in refusal(field.format(tmp_path / "loop"))
