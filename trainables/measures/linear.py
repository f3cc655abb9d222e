"""An ensemble of linear classifiers of two sets, trained together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from trainables.measures.knn.products import full_float32
from trainables.measures.standard import Standard

__all__ = ["LinearEnsemble"]

_PENALTIES = (1e-4, 1e-3, 1e-2, 1e-1)


@dataclass(frozen=True)
class LinearEnsemble:
    """The mean logit of several logistic regressions on standardised features; high for the class labelled 1."""

    weight: Tensor
    bias: Tensor
    standard: Standard

    @classmethod
    def fit(
        cls,
        x: Tensor,
        labels: Tensor,
        members: int = 12,
        seed: int = 0,
        iterations: int = 60,
        progress: Callable[[float], None] | None = None,
    ) -> LinearEnsemble:
        """Logistic regressions on ``x`` (N, d) with ``labels`` (N,) in {0, 1}.

        Members differ by the samples they weigh (a Bayesian bootstrap) and their ridge penalty (1e-4 to 1e-1), so
        nothing is tuned on the samples that are scored. Both classes weigh the same. All members are advanced by
        one L-BFGS, whose cost is two products (N, d)·(d, members) a step; ``progress`` hears which part of the steps
        is done, at most.
        """
        standard = Standard.of(x)
        z = standard(x)
        generator = torch.Generator(device=x.device).manual_seed(seed)
        weights = torch.empty(len(x), members, device=x.device).exponential_(generator=generator)
        target = labels.to(z)[:, None]
        weights = target * weights / (target * weights).sum(0) + (1 - target) * weights / (
            (1 - target) * weights
        ).sum(0)
        penalty = torch.tensor([_PENALTIES[i % len(_PENALTIES)] for i in range(members)], device=x.device)
        parameters = torch.zeros(z.shape[1] + 1, members, device=x.device, requires_grad=True)
        optimiser = torch.optim.LBFGS(
            [parameters],
            max_iter=iterations,
            history_size=20,
            line_search_fn="strong_wolfe",
            tolerance_grad=1e-6,
        )

        looks = 0

        def closure() -> Tensor:
            nonlocal looks
            if progress is not None:  # a step takes a look or a few
                progress(min(looks, iterations - 1) / iterations)
            looks += 1
            optimiser.zero_grad()
            logits = z @ parameters[:-1] + parameters[-1]
            losses = torch.nn.functional.binary_cross_entropy_with_logits(
                logits, target.expand_as(logits), weight=weights, reduction="sum"
            )
            loss = losses / 2 + (penalty * parameters[:-1].square()).sum() / 2
            loss.backward()
            return loss

        with full_float32():
            optimiser.step(closure)
        final = parameters.detach()
        return cls(final[:-1].mean(dim=1), final[-1].mean(), standard)

    def scores(self, x: Tensor) -> Tensor:
        """The mean logit of the members, (n, d) → (n,)."""
        return self.standard(x) @ self.weight + self.bias
