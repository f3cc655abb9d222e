"""Small trials that differ in everything a pack allows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from trainables.config import TrainingConfig, TrialConfig
from trainables.constraints import Constraint
from trainables.constraints.none import Free
from trainables.constraints.spectral import Spectral
from trainables.datasets import Dataset
from trainables.datasets.gaussians8 import Gaussians8
from trainables.models import Model
from trainables.models.mlp_gan import MlpGan
from trainables.models.realnvp import RealNvp
from trainables.objectives import OBJECTIVES, Adversarial, Objective
from trainables.objectives.pr import PR

MLP = MlpGan(generator=(8, 8), critic=(8, 8))
FLOW = RealNvp(critic=(8, 8), couplings=2, width=8)
MODELS: dict[str, Model] = {"mlp_gan": MLP, "realnvp": FLOW}
NEED_LIKELIHOOD = ("mle", "flow_gan")


def trial(
    model: Model = MLP,
    objective: Objective | None = None,
    constraint: Constraint | None = None,
    seed: int = 0,
    dataset: Dataset | None = None,
    **training: Any,
) -> TrialConfig:
    """30 iterations of 16 points; a flow warms up for 5 of them unless its objective says otherwise."""
    settings: dict[str, Any] = {
        "iterations": 30,
        "batch_size": 16,
        "critic_steps": 2,
        "ema": 0.9,
        "decay": 0.0,
        **training,
    }
    chosen = objective or PR()
    if model.has_density and isinstance(chosen, Adversarial) and chosen.warmup is None:
        chosen = replace(chosen, warmup=5)
    return TrialConfig(
        dataset=dataset or Gaussians8(),
        model=model,
        objective=chosen,
        constraint=constraint or Free(),
        training=TrainingConfig(**settings),
        seed=seed,
    )


def objectives(model: Model) -> list[Objective]:
    """Every objective a model can be trained with, the PR-divergence in all its forms."""
    first = ("kl", "reverse_kl", "js", "chi2", "gan", "hinge", "mle", "flow_gan")
    rest = [name for name in OBJECTIVES if name not in (*first, "pr")]
    forms = [
        PR(lam=lam, critic=critic, form=form)  # type: ignore[arg-type]
        for lam in (0.2, 5.0)
        for critic in ("logistic", "chi2")
        for form in ("log", "primal")
    ]

    def made(names: Iterable[str]) -> list[Objective]:
        return [OBJECTIVES[name]() for name in names if model.has_density or name not in NEED_LIKELIHOOD]

    forms.append(PR(lam=2.0, form="step", calibrated=True))
    return [*made(first), *forms, *made(rest)]


def varied(model: Model) -> list[TrialConfig]:
    """One trial per objective, with constraints, learning rates, warm-ups, averages and seeds of their own."""
    return [
        trial(
            model,
            replace(o, warmup=i % 8) if model.has_density and isinstance(o, Adversarial) else o,
            Spectral(lipschitz=1.0 + i) if i % 2 else Free(),
            seed=i // 2,
            generator_lr=1e-3 * (1 + i % 3),
            critic_lr=2e-3 * (1 + i % 4),
            beta1=0.1 * (i % 5),
            ema=0.9 - 0.05 * (i % 4),
        )
        for i, o in enumerate(objectives(model))
    ]
