"""Every preset can be read and planned on a machine without data, weights or a GPU, and its networks can be built."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from pathlib import Path

import pytest
import torch

from explorer.launch.earlier import Earlier
from explorer.launch.plan import make_plan
from explorer.launch.slots import Slots
from explorer.sweep import load_sweep
from explorer.sweep.document import preset_names
from explorer.sweep.presets import Preset, describe_presets
from trainables.constraints import Constraint
from trainables.datasets import Dataset
from trainables.models import Model
from trainables.models.biggan import BigGan
from trainables.training.stack import Stack


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bare machine: neither data nor weights are found."""
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))
    for name in ("TORCH_HOME", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    return tmp_path


@pytest.fixture(scope="module")
def described() -> dict[str, Preset]:
    return {preset.name: preset for preset in describe_presets()}


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_is_planned_as_it_is_described(name: str, described: dict[str, Preset]) -> None:
    sweep, preset = load_sweep(name), described[name]
    plan = make_plan(sweep, Earlier(), Slots(2, gpu=False))
    assert sweep.name == name
    assert (plan.bases, plan.trials) == (preset.bases, preset.trials)
    assert plan.done == 0
    assert preset.description == sweep.description.strip() != ""


def test_points_come_before_images_and_small_numbers_before_large_ones(described: dict[str, Preset]) -> None:
    names, datasets = list(described), [preset.dataset for preset in described.values()]
    assert names[0] == "demo"
    assert names.index("gaussians-8-small") < names.index("gaussians-25") < names.index("digits-gan")
    assert names[-1].startswith("celeba-")
    assert len([*groupby(datasets)]) == len(set(datasets)), "a group each"


def test_what_needs_a_cluster_has_a_small_twin(described: dict[str, Preset]) -> None:
    for name in (
        "gaussians-8",
        "gaussians-25",
        "mnist-glow",
        "fashion-glow",
        "cifar10-biggan",
        "celeba-biggan",
    ):
        twin = described[f"{name}-small"]
        assert (twin.dataset, twin.model) == (described[name].dataset, described[name].model)


def test_presets_on_one_base_share_it() -> None:
    """Whoever has run one of them trains no base again for the other."""
    for one, other in (
        ("fashion-gan", "fashion-gan-lipschitz"),
        ("celeba-biggan", "celeba-biggan-budgets"),
    ):
        assert _bases(other) <= _bases(one)


def _bases(name: str) -> set[str]:
    sweep = load_sweep(name)
    starts = [t.start for point in sweep.search.probes(sweep.space) for t in sweep.repeats(point)]
    return {start.base for start in starts if start is not None}


def _held_critics() -> dict[tuple[Dataset, Model, Constraint], str]:
    """Critics that a constraint holds, of trials and of bases, with the last preset that has them."""
    found = {}
    for name in preset_names():
        sweep = load_sweep(name)
        for point in sweep.search.probes(sweep.space):
            trial = sweep.trial(point, sweep.seeds[0])
            bases = [sweep.start.parts["constraint"]] if sweep.start is not None else []
            for constraint in (trial.constraint, *bases):
                found[trial.dataset, _narrow(trial.model), type(constraint)()] = name
    return {key: name for key, name in found.items() if key[-1].name != "none"}


def _narrow(model: Model) -> Model:
    """What can be bounded does not depend on widths, and those of a BigGAN take time to build."""
    return replace(model, width=4, latent=8) if isinstance(model, BigGan) else model


def _critic(dataset: Dataset, model: Model, what: str) -> Stack:
    shape, classes = dataset.shape, dataset.classes if model.conditional else None
    example = [torch.zeros(2, *shape)]
    if classes is not None:
        example.append(torch.zeros(2, dtype=torch.long))
    return Stack(lambda: model.build_critic(shape, classes), *example, what=what)


def test_every_critic_can_be_held_by_its_constraint() -> None:
    """A sweep is read without torch: else this is told only where networks are built, by the machines of a cluster."""
    held = _held_critics()
    assert {constraint.name for _, _, constraint in held} == {"spectral", "r1"}
    for (dataset, model, constraint), name in held.items():
        constraint.check_critic(_critic(dataset, model, f"the critic of {name}"))
