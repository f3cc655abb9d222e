"""Small trials that differ in everything a pack allows."""

from __future__ import annotations

from typing import Any, get_args, get_type_hints

from trainables.config import (
    ConstraintConfig,
    DatasetConfig,
    EvaluationConfig,
    ModelConfig,
    ObjectiveConfig,
    RefinementConfig,
    TrainingConfig,
    TrialConfig,
)

MLP = ModelConfig(size=None, generator=(8, 8), critic=(8, 8))
FLOW = ModelConfig(name="realnvp", size=None, critic=(8, 8), couplings=2, width=8)
MODELS = {"mlp_gan": MLP, "realnvp": FLOW}
NEED_LIKELIHOOD = ("mle", "flow_gan")
OBJECTIVES: tuple[str, ...] = get_args(get_type_hints(ObjectiveConfig)["name"])


def trial(
    model: ModelConfig = MLP,
    objective: ObjectiveConfig | None = None,
    constraint: ConstraintConfig | None = None,
    budgets: tuple[float, ...] = (1.0, 2.0),
    seed: int = 0,
    samples: int = 60,
    dataset: Any = "gaussians8",
    **training: Any,
) -> TrialConfig:
    settings: dict[str, Any] = {
        "iterations": 30,
        "batch_size": 16,
        "critic_steps": 2,
        "warmup": 5,
        "ema": 0.9,
        "decay": 0.0,
        **training,
    }
    return TrialConfig(
        dataset=DatasetConfig(dataset),
        model=model,
        objective=objective or ObjectiveConfig(lam=1.0),
        constraint=constraint or ConstraintConfig(),
        refinement=RefinementConfig(budgets),
        training=TrainingConfig(**settings),
        evaluation=EvaluationConfig(samples=samples),
        seed=seed,
    )


def objectives(model: ModelConfig) -> list[ObjectiveConfig]:
    """Every objective a model can be trained with, the PR-divergence in all its forms."""
    named = [
        ObjectiveConfig(name)  # type: ignore[arg-type]
        for name in OBJECTIVES
        if name != "pr" and (model.name == "realnvp" or name not in NEED_LIKELIHOOD)
    ]
    return named + [
        ObjectiveConfig("pr", lam, critic, form)  # type: ignore[arg-type]
        for lam in (0.2, 5.0)
        for critic in ("logistic", "chi2")
        for form in ("log", "primal")
    ]


def varied(model: ModelConfig) -> list[TrialConfig]:
    """One trial per objective, with constraints, learning rates, budgets, averages and seeds of their own."""
    return [
        trial(
            model,
            objective,
            ConstraintConfig("spectral", 1.0 + i) if i % 2 else ConstraintConfig(),
            budgets=((1.0, 2.0), (1.5,), (4.0,))[i % 3],
            seed=i // 2,
            generator_lr=1e-3 * (1 + i % 3),
            critic_lr=2e-3 * (1 + i % 4),
            beta1=0.1 * (i % 5),
            ema=0.9 - 0.05 * (i % 4),
            warmup=i % 8,
        )
        for i, objective in enumerate(objectives(model))
    ]
