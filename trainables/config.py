"""What one trial is: typed, validated where it enters, resolved to a canonical form that names it.

No torch here, so that a sweep can be read, planned and refused without loading it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from math import inf, isfinite
from typing import Any, ClassVar, Literal

__all__ = [
    "ConstraintConfig",
    "DatasetConfig",
    "EvaluationConfig",
    "ModelConfig",
    "ObjectiveConfig",
    "RefinementConfig",
    "TrainingConfig",
    "TrialConfig",
    "flatten",
]

Scalar = str | int | float | bool | None
_CLOSED: dict[str, Any] = {"extra": "forbid"}
"""Unknown keys are refused where a mapping is turned into a config."""

SIZES: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "small": ((32, 32), (64, 64, 64)),
    "medium": ((64, 64), (128, 128, 128)),
    "thesis": ((256, 512, 1024), (1024, 512, 256)),
}
"""Hidden widths (generator, critic) by name; ``thesis`` is Vérine 2024, C.2.1."""


_SEEDS = 2**62
"""Seeds are hashed as 64-bit integers, with room for the offsets added to them."""


def _require(holds: bool, sentence: str) -> None:
    if not holds:
        raise ValueError(sentence)


def _positive(**values: float | None) -> None:
    for name, value in values.items():
        _require(
            value is None or (value > 0 and isfinite(value)),
            f"{name} must be positive and finite, got {value}",
        )


def _one_spelling(config: object) -> None:
    """Write whole numbers in real-valued fields as floats: λ = 1 and λ = 1.0 are one config with one identity."""
    for declared in fields(config):  # type: ignore[arg-type]
        value = getattr(config, declared.name)
        if declared.type in ("float", "float | None") and value is not None:
            object.__setattr__(config, declared.name, float(value))
        elif declared.type == "tuple[float, ...]":
            object.__setattr__(config, declared.name, tuple(float(v) for v in value))


@dataclass(frozen=True)
class DatasetConfig:
    """Where real samples come from."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _CLOSED
    name: Literal["gaussians8", "gaussians25", "mixture1d"] = "gaussians8"


@dataclass(frozen=True)
class ModelConfig:
    """A generator and its critic. Hidden widths are given by ``size`` or one by one.

    ``latent`` belongs to ``mlp_gan``; ``couplings`` and ``width`` to ``realnvp``, whose latent is the data's.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = _CLOSED
    name: Literal["mlp_gan", "realnvp"] = "mlp_gan"
    size: Literal["small", "medium", "thesis"] | None = "small"
    generator: tuple[int, ...] | None = None
    critic: tuple[int, ...] | None = None
    latent: int | None = None
    couplings: int | None = None
    width: int | None = None

    def __post_init__(self) -> None:
        for name in ("generator", "critic"):
            widths = getattr(self, name)
            if widths is not None:
                _require(len(widths) > 0, f"model.{name} needs at least one hidden layer, got an empty list")
                _positive(**{f"model.{name} widths": min(widths)})
        _positive(**{"model.latent": self.latent, "model.width": self.width})
        _require(
            self.couplings is None or self.couplings >= 2,
            f"model.couplings must be ≥ 2 so that every coordinate moves, got {self.couplings}",
        )

    def resolved(self) -> ModelConfig:
        """Widths spelled out, fields of the other model dropped."""
        generator, critic = SIZES[self.size or "small"]
        critic = self.critic or critic
        if self.name == "realnvp":
            return ModelConfig(
                name="realnvp",
                size=None,
                critic=critic,
                couplings=self.couplings or 4,
                width=self.width or 64,
            )
        return ModelConfig(
            name="mlp_gan",
            size=None,
            generator=self.generator or generator,
            critic=critic,
            latent=self.latent or 2,
        )


@dataclass(frozen=True)
class ObjectiveConfig:
    """What generator and critic minimise.

    ``pr`` is the PR-divergence at ``lam``, trained through an auxiliary ``critic``; ``form`` chooses its generator
    loss. ``kl`` … ``hinge`` are adversarial losses. ``mle`` is maximum likelihood (flows). ``likelihood`` is the weight
    of -log q added to an adversarial loss (flows; Grover et al. 2018), and ``flow_gan`` is ``gan`` with it on.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = _CLOSED
    name: Literal["pr", "kl", "reverse_kl", "js", "chi2", "gan", "hinge", "mle", "flow_gan"] = "pr"
    lam: float | None = None
    critic: Literal["logistic", "chi2"] | None = None
    form: Literal["log", "primal"] | None = None
    likelihood: float | None = None

    def __post_init__(self) -> None:
        _one_spelling(self)
        _require(
            self.lam is None or (self.lam > 0 and isfinite(self.lam)),
            f"λ must be positive and finite, got {self.lam}; large λ asks for precision, small λ for recall",
        )
        _require(
            self.likelihood is None or 0 <= self.likelihood < inf,
            f"objective.likelihood is a weight ≥ 0, got {self.likelihood}",
        )

    def resolved(self, flow: bool) -> ObjectiveConfig:
        """Defaults that apply filled in, fields that do not dropped."""
        likelihood = self.likelihood
        if self.name == "flow_gan" and likelihood is None:
            likelihood = 0.1
        base = ObjectiveConfig(
            name=self.name, likelihood=(likelihood or 0.0) if flow and self.name != "mle" else None
        )
        if self.name != "pr":
            return base
        lam = 1.0 if self.lam is None else self.lam
        return replace(base, lam=lam, critic=self.critic or "logistic", form=self.form or "log")


@dataclass(frozen=True)
class ConstraintConfig:
    """A bound on the critic's Lipschitz constant: ``spectral`` normalisation to ``lipschitz``, or ``none``."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _CLOSED
    name: Literal["none", "spectral"] = "none"
    lipschitz: float | None = None

    def __post_init__(self) -> None:
        _one_spelling(self)
        _positive(**{"constraint.lipschitz": self.lipschitz})

    def resolved(self) -> ConstraintConfig:
        """Without a constraint there is no constant."""
        if self.name == "none":
            return ConstraintConfig()
        return ConstraintConfig(name=self.name, lipschitz=self.lipschitz or 5.0)


@dataclass(frozen=True)
class RefinementConfig:
    """Optimal budgeted rejection sampling, read at every K of ``budgets`` after training."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _CLOSED
    budgets: tuple[float, ...] = (1.0, 1.5, 2.0, 4.0)

    def __post_init__(self) -> None:
        _one_spelling(self)
        for budget in self.budgets:
            _require(
                1 <= budget < inf, f"budget K must be ≥ 1, got {budget:g}; use K=1 to accept every sample"
            )

    def resolved(self) -> RefinementConfig:
        """Ascending, each once, K = 1 always among them."""
        return RefinementConfig(budgets=tuple(sorted({1.0, *self.budgets})))


@dataclass(frozen=True)
class TrainingConfig:
    """How long and how fast.

    Learning rates fall linearly to 0 over the last ``decay`` part of the iterations. ``warmup`` iterations of pure
    likelihood come first (flows).
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = _CLOSED
    iterations: int = 2000
    batch_size: int = 256
    critic_steps: int = 2
    generator_lr: float = 1e-3
    critic_lr: float = 4e-3
    beta1: float = 0.5
    beta2: float = 0.99
    ema: float = 0.995
    decay: float = 0.5
    warmup: int | None = None

    def __post_init__(self) -> None:
        _one_spelling(self)
        _positive(
            **{
                "training.iterations": self.iterations,
                "training.batch_size": self.batch_size,
                "training.critic_steps": self.critic_steps,
                "training.generator_lr": self.generator_lr,
                "training.critic_lr": self.critic_lr,
            }
        )
        for name in ("beta1", "beta2", "ema"):
            value = getattr(self, name)
            _require(0 <= value < 1, f"training.{name} must be in [0, 1), got {value}")
        _require(0 <= self.decay <= 1, f"training.decay must be in [0, 1], got {self.decay}")
        _require(self.warmup is None or self.warmup >= 0, f"training.warmup must be ≥ 0, got {self.warmup}")

    def resolved(self, flow: bool, objective: str) -> TrainingConfig:
        """Warm-up only where a likelihood exists and is not the objective already; default a quarter."""
        if not flow or objective == "mle":
            return replace(self, warmup=None)
        return replace(self, warmup=self.iterations // 4 if self.warmup is None else self.warmup)


@dataclass(frozen=True)
class EvaluationConfig:
    """How a trial is measured: ``samples`` generated against as many real ones, k nearest neighbours."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _CLOSED
    samples: int = 1000
    k: int = 3
    every: int = 500

    def __post_init__(self) -> None:
        _positive(
            **{
                "evaluation.samples": self.samples,
                "evaluation.k": self.k,
                "evaluation.every": self.every,
            }
        )
        _require(
            self.samples > self.k,
            f"evaluation.samples must exceed evaluation.k, got {self.samples} samples for k={self.k}",
        )


@dataclass(frozen=True)
class TrialConfig:
    """One point of the space with one seed."""

    __pydantic_config__: ClassVar[dict[str, Any]] = _CLOSED
    dataset: DatasetConfig = field(default_factory=DatasetConfig)
    model: ModelConfig = field(default_factory=ModelConfig)
    objective: ObjectiveConfig = field(default_factory=ObjectiveConfig)
    constraint: ConstraintConfig = field(default_factory=ConstraintConfig)
    refinement: RefinementConfig = field(default_factory=RefinementConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)
    evaluation: EvaluationConfig = field(default_factory=EvaluationConfig)
    seed: int = 0

    def __post_init__(self) -> None:
        flow = self.model.name == "realnvp"
        _require(
            0 <= self.seed < _SEEDS,
            f"seed must be a whole number in [0, 2^62), got {self.seed}; use a smaller one",
        )
        _require(
            flow or self.objective.name not in ("mle", "flow_gan"),
            f"objective '{self.objective.name}' needs a likelihood, which model '{self.model.name}' lacks; "
            "use model realnvp",
        )
        _require(
            flow or not self.objective.likelihood,
            f"objective.likelihood needs a flow, got model '{self.model.name}'; use model realnvp",
        )
        _require(
            not flow or self.dataset.name != "mixture1d",
            "realnvp splits coordinates and needs at least 2 of them, got dataset 'mixture1d'; use model mlp_gan",
        )

    def resolved(self) -> TrialConfig:
        """The canonical form: defaults filled in, fields that have no effect dropped; its hash names the trial."""
        flow = self.model.name == "realnvp"
        return replace(
            self,
            model=self.model.resolved(),
            objective=self.objective.resolved(flow),
            constraint=self.constraint.resolved(),
            refinement=self.refinement.resolved(),
            training=self.training.resolved(flow, self.objective.name),
        )

    def identity(self) -> str:
        """12 hex digits of the SHA-256 of the resolved config."""
        canonical = json.dumps(asdict(self.resolved()), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()[:12]

    def params(self) -> dict[str, Scalar]:
        """Resolved fields by dotted path; those that do not apply are absent."""
        return flatten(asdict(self.resolved()))

    def shape(self) -> str:
        """Trials of equal shape can be stacked; all else may differ inside a pack."""
        me = self.resolved()
        stacked = (
            asdict(me.dataset),
            asdict(me.model),
            me.training.iterations,
            me.training.batch_size,
            me.training.critic_steps,
            asdict(me.evaluation),
        )
        return json.dumps(stacked, sort_keys=True)


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
