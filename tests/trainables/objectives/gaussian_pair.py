"""P = N(0, 1) against Q = N(m, s²), drawn as m + s·z: gradients of losses and of divergences, both by quadrature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from trainables.objectives import Objective
from trainables.studies.line import Line, normal_log_density

LINE = Line.around(0.0, 1.5, 30.0, 2001)
PAIRS = [(0.6, 1.0), (-0.6, 1.0), (0.0, 1.2), (0.0, 0.85), (0.4, 1.15), (-0.5, 0.9)]
"""(m, s) around the truth (0, 1), near enough that χ² in both directions is finite."""


def log_normal(x: Tensor, m: float = 0.0, s: float = 1.0) -> Tensor:
    return normal_log_density(x, *torch.tensor([[m], [s]], dtype=torch.float64))[0]


def masses(m: float = 0.0, s: float = 1.0) -> Tensor:
    return LINE.masses(log_normal(LINE.x, m, s))


@dataclass(frozen=True)
class Pair:
    m: float
    s: float

    def log_ratio(self, x: Tensor) -> Tensor:
        """log p/q, which is what a perfect critic of this Q knows of any point."""
        return log_normal(x) - log_normal(x, self.m, self.s)

    def pull(
        self, member: Objective, critic: Callable[[Tensor], Tensor], **columns: float | Tensor
    ) -> Tensor:
        """(2,) the gradient of the generator's loss in (m, s), its critic ``critic(log r)`` frozen."""
        place = torch.tensor([self.m, self.s], dtype=torch.float64, requires_grad=True)
        logit = critic(self.log_ratio(place[0] + place[1] * LINE.x))
        loss = self.expected(member, logit, **columns)
        return torch.autograd.grad(loss, place)[0]

    @staticmethod
    def expected(member: Objective, logit: Tensor, **columns: float | Tensor) -> Tensor:
        """E_Q of the loss: every node of z is a trial of one sample."""
        found = {name: torch.as_tensor(value, dtype=torch.float64) for name, value in columns.items()}
        spread = {
            name: value.reshape(1, -1).expand(len(logit), -1)
            if name == "memory"
            else value.expand(len(logit))
            for name, value in found.items()
        }
        loss = member.generator_loss(logit.unsqueeze(-1), spread)
        assert loss is not None
        return (masses() * loss).sum()

    def slope(self, value: Callable[[float, float], float], step: float = 1e-3) -> Tensor:
        """(2,) the exact gradient in (m, s) of a function of Q, by central differences."""
        return torch.tensor(
            [
                (value(self.m + step, self.s) - value(self.m - step, self.s)) / (2 * step),
                (value(self.m, self.s + step) - value(self.m, self.s - step)) / (2 * step),
            ],
            dtype=torch.float64,
        )
