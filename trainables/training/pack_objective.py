"""Losses of a pack whose trials have objectives of their own, and what these remember."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from trainables.objectives.objective import Objective
from trainables.training.groups import Groups

__all__ = ["PackObjective"]


class PackObjective:
    """Trials with equal losses form a group and are computed together; λ varies inside a group."""

    def __init__(self, members: Sequence[Objective], device: torch.device) -> None:
        self._groups = Groups(members, device)
        bends = [group.member.bend(group.columns) for group in self._groups.groups]
        self.bend = self._groups.join(
            [
                torch.full((len(group.rows),), torch.nan, device=device) if bend is None else bend
                for group, bend in zip(self._groups.groups, bends, strict=True)
            ]
        )
        """(T,) the log r̂ at which each trial's loss bends; NaN for a trial without a λ."""
        self._memories = [
            torch.tensor(group.member.initial(), device=device).expand(len(group.rows), -1).clone()
            for group in self._groups.groups
        ]

    def critic_loss(self, real: Tensor, fake: Tensor) -> Tensor:
        """(T,) from logits (T, B)."""
        return self._groups.each(lambda g: g.member.critic_loss(g.pick(real), g.pick(fake)))

    def generator_loss(self, fake: Tensor, progress: Tensor, log_lam: Tensor | None = None) -> Tensor:
        """(T,) from logits (T, B) and the share of training that is done (T,); 0 for a trial that hears no critic.

        ``log_lam`` (T, B): that of every sample, for networks that take it.
        """
        parts = []
        for group, memory in zip(self._groups.groups, self._memories, strict=True):
            own = group.pick(fake)
            columns = {**group.columns, "progress": group.pick(progress), "memory": memory}
            if log_lam is not None:
                columns["log_lam"] = group.pick(log_lam)
            loss = group.member.generator_loss(own, columns)
            parts.append(own.new_zeros(len(own)) if loss is None else loss)
        return self._groups.join(parts)

    @torch.no_grad()
    def remember(self, fake: Tensor, progress: Tensor, step: Tensor) -> None:
        """Let trials remember what they need of logits (T, B) of fresh samples, after ``step`` iterations."""
        for group, memory in zip(self._groups.groups, self._memories, strict=True):
            if not memory.shape[1]:
                continue
            share = group.pick(progress)
            columns = {**group.columns, "progress": share, "step": step.expand(len(group.rows))}
            log_ratio = group.member.log_ratio(group.pick(fake))
            memory.copy_(group.member.remember(memory, log_ratio, columns))

    @torch.no_grad()
    def compare(self, real: Tensor, fake: Tensor) -> None:
        """Let trials remember what they need of logits (T, B) on real and generated samples, of a critic's step."""
        for group, memory in zip(self._groups.groups, self._memories, strict=True):
            if memory.shape[1]:
                ratios = (group.member.log_ratio(group.pick(logit)) for logit in (real, fake))
                memory.copy_(group.member.compare(memory, *ratios))

    def states(self) -> list[Tensor]:
        """(U,) what every trial remembers, on the CPU; empty if nothing."""
        found = {}
        for group, memory in zip(self._groups.groups, self._memories, strict=True):
            for index, values in zip(group.rows.tolist(), memory.detach().cpu(), strict=True):
                found[index] = values.clone()
        return [found[index] for index in range(len(found))]

    def restore(self, rows: Sequence[Tensor | None]) -> None:
        """Take up what ``states`` gave; None: as at the start."""
        for group, memory in zip(self._groups.groups, self._memories, strict=True):
            for at, index in enumerate(group.rows.tolist()):
                values = rows[index]
                if values is not None:
                    memory[at].copy_(values)

    def log_ratio(self, logit: Tensor) -> Tensor:
        """log r̂ (T, B) from logits (T, B), on the scale that the objective holds for right."""
        parts = []
        for group, memory in zip(self._groups.groups, self._memories, strict=True):
            found, slope = group.member.log_ratio(group.pick(logit)), group.member.slope(memory)
            parts.append(found if slope is None else found * slope.unsqueeze(-1))
        return self._groups.join(parts)

    def slopes(self) -> Tensor:
        """(T,) by what each trial's own log r̂ is multiplied in ``log_ratio``; 1 where nothing corrects it."""
        parts = []
        for group, memory in zip(self._groups.groups, self._memories, strict=True):
            slope = group.member.slope(memory)
            parts.append(memory.new_ones(len(group.rows)) if slope is None else slope)
        return self._groups.join(parts)

    def sides(self, log_ratio: Tensor, log_lam: Tensor | None = None) -> Tensor:
        """(T, 2) shares of log r̂ (T, B) below and above the bend (λ r̂ < 1 and > 1); 0 and 0 without a λ.

        ``log_lam`` (T, B): that of every sample, where it is not the trial's own.
        """
        bend = self.bend.unsqueeze(-1)
        beyond = log_ratio - (bend if log_lam is None else torch.where(bend.isnan(), torch.nan, -log_lam))
        return torch.stack(((beyond < 0).float().mean(-1), (beyond > 0).float().mean(-1)), dim=1)
