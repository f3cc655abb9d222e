"""What two laws have in common at a trade-off λ, and what is left of each: P = βμ + (1-β)ν_P, P̂ = αμ + (1-α)ν_P̂."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from trainables.precision_recall.ratio_law import RatioLaw
from trainables.precision_recall.renyi import log_between, renyi

__all__ = ["Parts", "attained", "parts"]


@dataclass(frozen=True, eq=False)
class Parts:
    """The best split at a trade-off λ; masses on common atoms, shapes (n,).

    Attributes:
        precision: α_λ.
        recall: β_λ.
        common: μ ∝ min(p, q/λ), a law.
        missed: p - βμ, the part (1-β)ν_P of the data that the model does not have, of mass 1-β.
        invented: q - αμ, the part (1-α)ν_P̂ of the model that is not in the data, of mass 1-α.
    """

    precision: float
    recall: float
    common: Tensor
    missed: Tensor
    invented: Tensor


def parts(p: Tensor, q: Tensor, lam: float) -> Parts:
    """The split of p (real) and q (model), probability vectors of shape (n,), at λ in (0, ∞).

    βμ = min(p, q/λ) is the most that fits below p while λ times as much fits below q.
    Reference: thesis, definition 3.2.3 and theorem 3.2.4; Sajjadi et al. 2018, definition 1.
    """
    tilt = torch.tensor([lam], dtype=torch.float64)
    law = RatioLaw.from_masses(p, q)
    precision, recall = float(law.alpha(tilt)), float(law.beta(tilt))
    if precision == 0:
        raise ValueError("laws with no common mass have no common part; precision and recall are 0")
    common = log_between(p.log(), q.log(), -torch.inf, tilt)[0].exp()
    # Rounding may leave -1e-17 where the common part is all there is.
    missed, invented = ((x - share * common).clamp(min=0.0) for x, share in ((p, recall), (q, precision)))
    return Parts(precision, recall, common, missed, invented)


def attained(p: Tensor, q: Tensor, common: Tensor) -> tuple[Tensor, Tensor]:
    """The largest (α, β) a given μ attains: α = min q/μ and β = min p/μ where μ > 0, μ (…, n), results (…).

    Every pair below them is attained too; over all μ these pairs make up the set PR(P, P̂) of the thesis.
    """
    log_mu = common.log()
    alpha, beta = ((-renyi(log_mu, x.log().expand_as(log_mu), torch.inf)).exp() for x in (q, p))
    return alpha, beta
