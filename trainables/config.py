"""What one trial is: members of its families, how it is trained, and a seed. It names the trial.

No torch here, so that a sweep can be read, planned and refused without loading it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, Literal

from trainables.constraints import CONSTRAINTS, Constraint
from trainables.constraints.none import Free
from trainables.datasets import DATASETS, Dataset
from trainables.datasets.gaussians8 import Gaussians8
from trainables.declarations import blamed
from trainables.family import Config, Family, at_most, positive, require
from trainables.models import MODELS, Model
from trainables.models.mlp_gan import MlpGan
from trainables.objectives import OBJECTIVES, Objective
from trainables.objectives.pr import PR
from trainables.start import Start, check_layers, check_reading

__all__ = ["FAMILIES", "SECTIONS", "SEEDS", "TrainingConfig", "TrialConfig", "fingerprint", "flatten"]

Scalar = str | int | float | bool | None

FAMILIES: Mapping[str, Family[Any]] = {
    "dataset": DATASETS,
    "model": MODELS,
    "objective": OBJECTIVES,
    "constraint": CONSTRAINTS,
    "generator_constraint": CONSTRAINTS,
}
"""The families that name a trial, by the section of a sweep file."""

SECTIONS = (*FAMILIES, "training")
"""The sections of a sweep file that name a trial."""

SEEDS = 2**62
"""Seeds are hashed as 64-bit integers, with room for the offsets added to them."""

_LARGEST = {
    "iterations": 10**9,
    "batch_size": 10**6,
    "critic_steps": 1000,
}
"""Of training; beyond lie mistyped zeros."""


SLOWEST = 0.999999
"""Of averages over iterations, the part that is kept each time; nearer to 1 it is 1 in single precision."""


@dataclass(frozen=True)
class TrainingConfig(Config):
    """How long and how fast. Learning rates fall linearly to 0 over the last ``decay`` part of the iterations.

    Attributes:
        iterations: generator steps; 0 for a trial that begins at a base and is only read.
        batch_size: samples of a step, real and generated alike.
        critic_steps: critic steps before each generator step.
        generator_lr: Adam's learning rate for the generator.
        critic_lr: Adam's learning rate for the critic.
        beta1: Adam's β₁, of the mean of gradients.
        beta2: Adam's β₂, of their squares.
        ema: what the averaged generator, which is the one measured, keeps of itself at every step.
        decay: share of the iterations, at the end, over which learning rates fall linearly to 0.
        precision: precision of products in training; evaluations are always exact.
        compile: let torch compile the networks and the steps; up to a minute at the start.
        critic_first: of the iterations, at the start, those in which the critic is trained alone.
    """

    iterations: int = 2000
    batch_size: int = 256
    critic_steps: int = 2
    generator_lr: float = 1e-3
    critic_lr: float = 4e-3
    beta1: float = 0.5
    beta2: float = 0.99
    ema: float = 0.995
    decay: float = 0.5
    precision: Literal["float32", "tf32", "bf16"] = "float32"
    compile: bool = False
    critic_first: int = 0

    def check(self) -> None:
        """Counts and rates are positive, averages forget something."""
        for name in ("batch_size", "critic_steps", "generator_lr", "critic_lr"):
            positive(**{f"training.{name}": getattr(self, name)})
        require(self.iterations >= 0, f"training.iterations must be ≥ 1, got {self.iterations}; use more")
        for name, limit in _LARGEST.items():
            at_most(limit, **{f"training.{name}": getattr(self, name)})
        for name in ("generator_lr", "critic_lr"):
            rate = getattr(self, name)
            require(
                1e-30 <= rate <= 1e30,
                f"training.{name} must lie within single precision, 1e-30 to 1e30, got {rate}",
            )
        for name in ("beta1", "beta2", "ema"):
            value = getattr(self, name)
            require(0 <= value < 1, f"training.{name} must be in [0, 1), got {value}")
            at_most(SLOWEST, **{f"training.{name}": value})
        require(0 <= self.decay <= 1, f"training.decay must be in [0, 1], got {self.decay}")
        require(
            0 <= self.critic_first < max(1, self.iterations),
            f"training.critic_first must be ≥ 0 and leave iterations to the generator, got {self.critic_first} of "
            f"{self.iterations}; use fewer",
        )

    @property
    def generator_iterations(self) -> int:
        """Iterations in which the generator is trained too."""
        return self.iterations - self.critic_first


@dataclass(frozen=True)
class TrialConfig:
    """One point of the space with one seed: what is trained. How it is read is not part of it."""

    dataset: Dataset = field(default_factory=Gaussians8)
    model: Model = field(default_factory=MlpGan)
    objective: Objective = field(default_factory=PR)
    constraint: Constraint = field(default_factory=Free)
    generator_constraint: Constraint = field(default_factory=Free)
    training: TrainingConfig = field(default_factory=TrainingConfig)
    seed: int = 0
    start: Start | None = None

    def __post_init__(self) -> None:
        require(
            0 <= self.seed < SEEDS,
            f"seed must be a whole number in [0, 2^62), got {self.seed}; use a smaller one",
        )
        with blamed(f"check_use() of dataset '{self.dataset.name}' must raise ValueError or nothing"):
            self.dataset.check_use()
        objective, model, iterations = self.objective, self.model, self.training.generator_iterations
        with blamed(f"check_model() of objective '{objective.name}' must raise ValueError or nothing"):
            objective.check_model(model)
        with blamed(f"check_data() of model '{model.name}' must raise ValueError or nothing"):
            model.check_data(self.dataset.shape, self.dataset.classes)
        held = self.generator_constraint
        require(
            not held.penalises(),
            f"generator_constraint must bound weights, got '{held.name}', a penalty on a critic's gradients; "
            "use spectral, bjorck or clipping, or name it under constraint",
        )
        with blamed(f"warmup_iterations() of objective '{objective.name}' must give a number"):
            warmup = float(objective.warmup_iterations(model, iterations))
        require(
            warmup < iterations or warmup == inf or self.only_read,  # mle means likelihood to the end
            f"objective.warmup must leave iterations to the objective itself, got {warmup:g} of "
            f"{iterations}; use fewer, or objective mle for likelihood alone",
        )
        check_layers(self)
        if self.only_read:
            check_reading(self)

    @property
    def only_read(self) -> bool:
        """Whether nothing of it is trained: it is its base, read at a λ of its own."""
        return not self.training.iterations

    def identity(self) -> str:
        """12 hex digits of a hash of (member, version, fields that differ from their defaults), seed and base."""
        named = self._signatures()
        start = {} if self.start is None else {"start": self.start.signature()}
        return fingerprint({**named, "training": self.training.changed(), "seed": self.seed, **start})

    def _signatures(self) -> dict[str, list[Any]]:
        """Of every section with a member; trials were named before generators could be constrained."""
        named = {section: getattr(self, section).signature() for section in FAMILIES}
        if named["generator_constraint"] == Free().signature():
            del named["generator_constraint"]
        return named

    def kind(self) -> str:
        """12 hex digits of how it is trained, whatever its data, model and seed."""
        named = self._signatures()
        own = {section: value for section, value in named.items() if section not in ("dataset", "model")}
        return fingerprint({**own, "training": self.training.changed()})

    def plain(self) -> dict[str, Any]:
        """Sections as mappings, as a sweep file has them, the seed, and the start if there is a base."""
        start = {} if self.start is None else {"start": self.start.plain()}
        return {
            **{section: getattr(self, section).plain() for section in SECTIONS},
            "seed": self.seed,
            **start,
        }

    def params(self) -> dict[str, Scalar]:
        """Every field by dotted path; those left open are absent."""
        return flatten(self.plain())

    def shape(self) -> str:
        """Trials of equal shape can be stacked; all else may differ inside a pack."""
        training = self.training
        stacked: list[Any] = [
            self.dataset.signature(),
            self.model.signature(),
            training.iterations,
            training.batch_size,
            training.critic_steps,
            *([training.critic_first] if training.critic_first else []),
        ]
        # Named only where they are not what they were before they existed.
        changed = training.changed()
        stacked += [{key: changed[key]} for key in ("precision", "compile") if key in changed]
        for section in ("constraint", "generator_constraint"):
            held = getattr(self, section)
            if held.prepares:  # it is another module then
                fixed = {name: value for name, value in held.changed().items() if name not in held.rows}
                stacked.append([section, held.name, held.version, fixed])
        return json.dumps(stacked, sort_keys=True)


def fingerprint(value: object, digits: int = 12) -> str:
    """The first hex digits of the SHA-256 of plain data, whatever the order of its keys."""
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:digits]


def flatten(nested: Mapping[str, Any], prefix: str = "") -> dict[str, Scalar]:
    """``{"a": {"b": 1}}`` → ``{"a.b": 1}``; sequences become JSON text, ``None`` is left out."""
    flat: dict[str, Scalar] = {}
    for key, value in nested.items():
        path = f"{prefix}{key}"
        if isinstance(value, Mapping):
            flat.update(flatten(value, f"{path}."))
        elif isinstance(value, list | tuple):
            flat[path] = json.dumps(value)
        elif value is not None:
            flat[path] = value
    return flat
