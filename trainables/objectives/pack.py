"""Losses of a pack whose trials have objectives of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from trainables.config import ObjectiveConfig
from trainables.objectives.critics import CRITICS, Critic
from trainables.objectives.generators import GeneratorLoss, NonSaturating, PRLog, PRPrimal

__all__ = ["Losses", "PackObjective", "losses"]


@dataclass(frozen=True)
class Losses:
    """A critic and the loss of the generator it teaches."""

    critic: Critic
    generator: GeneratorLoss


def losses(config: ObjectiveConfig) -> Losses:
    """The losses a resolved objective names. For ``mle`` the critic only learns the ratio, for rejection."""
    if config.name == "pr":
        form: GeneratorLoss = PRPrimal() if config.form == "primal" else PRLog()
        return Losses(CRITICS[config.critic or "logistic"], form)
    name = "logistic" if config.name in ("mle", "flow_gan") else config.name
    return Losses(CRITICS[name], NonSaturating())


class PackObjective:
    """Trials with the same losses form a group and are computed together; λ varies inside a group."""

    def __init__(self, configs: Sequence[ObjectiveConfig], device: torch.device) -> None:
        groups: dict[Losses, list[int]] = {}
        for index, config in enumerate(configs):
            groups.setdefault(losses(config), []).append(index)
        self._groups = [(member, torch.tensor(rows, device=device)) for member, rows in groups.items()]
        order = torch.cat([rows for _, rows in self._groups])
        self._restore = order.argsort()
        self.lam = torch.tensor([c.lam or 1.0 for c in configs], device=device)

    def _each(self, compute: Callable[[Losses, Tensor], Tensor]) -> Tensor:
        """Compute group by group, put rows back in the order of trials."""
        parts = [compute(member, rows) for member, rows in self._groups]
        return torch.cat(parts)[self._restore] if len(parts) > 1 else parts[0]

    def critic_loss(self, real: Tensor, fake: Tensor) -> Tensor:
        """(T,) from logits (T, B)."""
        return self._each(lambda member, rows: member.critic.loss(real[rows], fake[rows]))

    def generator_loss(self, fake: Tensor) -> Tensor:
        """(T,) from logits (T, B)."""
        return self._each(lambda member, rows: member.generator(fake[rows], self.lam[rows], member.critic))

    def log_ratio(self, logit: Tensor) -> Tensor:
        """log r̂ (T, B) from logits (T, B)."""
        return self._each(lambda member, rows: member.critic.log_ratio(logit[rows]))

    def sides(self, log_ratio: Tensor) -> Tensor:
        """(T, 2) shares of log r̂ (T, B) with λ r̂ < 1 and with λ r̂ > 1: where the PR-divergence bends."""
        scaled = log_ratio + self.lam.log().unsqueeze(-1)
        return torch.stack(((scaled < 0).float().mean(-1), (scaled > 0).float().mean(-1)), dim=1)
