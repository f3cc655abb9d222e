"""Everything the theory says about two discrete laws, as plain numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from explorer.theory.inputs import check_budget, check_laws, check_trade_offs

__all__ = ["DEFAULT_BUDGET", "ORDERS", "Comparison", "FrontierPoints", "Point", "Refinement", "compare"]

ORDERS = (0.5, 1.0, 2.0, math.inf)
"""Orders α of the Rényi frontiers that are shown."""

DEFAULT_BUDGET = 2.0
GRID = 101
SHOWN_DIVERGENCES = ("kl", "reverse_kl", "tv", "jeffreys", "js", "chi2", "hellinger")


@dataclass(frozen=True)
class Point:
    """One point of a PR curve: precision α_λ, recall β_λ."""

    lam: float
    precision: float
    recall: float


@dataclass(frozen=True)
class Refinement:
    """The model after optimal budgeted rejection sampling.

    Attributes:
        budget: K.
        constant: c of the acceptance min(c·p/q, 1), the solution of E_Q[min(c r, 1)] = 1/K; ∞ for K = 1. The
            thesis writes c_K = c·M.
        acceptance: E_Q[a] = 1/K, the share of draws that is kept.
        per_outcome: a_i.
        law: the refined law q̃.
        divergences: D_f(P‖Q̃) by name.
        improvement: the guaranteed γ of D_f(P‖Q̃) ≤ (1-γ) D_f(P‖Q).
        curve: the refined curve at the same λ.
        auc: the area below it.
        support_precision, support_recall: its ends, Q̃(supp P) and P(supp Q̃).
    """

    budget: float
    constant: float
    acceptance: float
    per_outcome: tuple[float, ...]
    law: tuple[float, ...]
    divergences: dict[str, float]
    improvement: float
    curve: tuple[Point, ...] = field(repr=False)
    auc: float
    support_precision: float
    support_recall: float


@dataclass(frozen=True)
class FrontierPoints:
    """A divergence frontier: pairs (divergence to the model, divergence to the real law)."""

    order: float
    kind: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Comparison:
    """Two laws compared; ``document`` gives the JSON form."""

    real: tuple[float, ...]
    model: tuple[float, ...]
    divergences: dict[str, float]
    curve: tuple[Point, ...] = field(repr=False)
    pr_divergence: tuple[tuple[float, float], ...] = field(repr=False)
    auc: float
    f8: float
    f1_8: float
    support_precision: float
    support_recall: float
    largest_ratio: float
    frontiers: tuple[FrontierPoints, ...] = field(repr=False)
    refined: Refinement

    def document(self) -> dict[str, Any]:
        """Plain JSON values; null stands for ∞."""
        refined = self.refined
        return {
            "real": list(self.real),
            "model": list(self.model),
            "divergences": _finite_values(self.divergences),
            "pr_divergence": [{"lambda": lam, "value": value} for lam, value in self.pr_divergence],
            "curve": _rows(self.curve),
            "auc": self.auc,
            "f8": self.f8,
            "f1_8": self.f1_8,
            "support": {"precision": self.support_precision, "recall": self.support_recall},
            "largest_ratio": _finite(self.largest_ratio),
            "frontiers": [
                {
                    "order": _finite(frontier.order),
                    "kind": frontier.kind,
                    "points": [{"to_model": _finite(a), "to_real": _finite(b)} for a, b in frontier.points],
                }
                for frontier in self.frontiers
            ],
            "refined": {
                "budget": refined.budget,
                "constant": _finite(refined.constant),
                "acceptance": refined.acceptance,
                "acceptance_per_outcome": list(refined.per_outcome),
                "law": list(refined.law),
                "divergences": _finite_values(refined.divergences),
                "guaranteed_improvement": refined.improvement,
                "auc": refined.auc,
                "support": {"precision": refined.support_precision, "recall": refined.support_recall},
                "curve": _rows(refined.curve),
            },
        }


def compare(
    real: Sequence[float],
    model: Sequence[float],
    lambdas: Sequence[float] | None = None,
    budget: float = DEFAULT_BUDGET,
) -> Comparison:
    """All of it for probability vectors of one length.

    Args:
        real: P.
        model: Q.
        lambdas: trade-offs in [0, ∞); by default an equiangular grid together with every bend of the curve.
        budget: K ≥ 1 of the refinement.
    """
    check_laws(real, model)
    check_budget(budget)
    if lambdas is not None:
        check_trade_offs(lambdas)
    import torch

    from trainables.divergences import DIVERGENCES
    from trainables.precision_recall import RatioLaw, as_law, equiangular_grid, frontier_discrete
    from trainables.rejection import largest_ratio

    p, q = as_law(real), as_law(model)
    law = RatioLaw.from_masses(p, q)
    chosen = _default_trade_offs(law, budget) if lambdas is None else lambdas
    lam = torch.tensor(sorted(set(chosen)), dtype=torch.float64)
    curve = law.curve(lam)
    ends = law.curve(torch.tensor([0.0, math.inf]))
    frontiers = [
        FrontierPoints(order, kind, tuple(zip(front.to_model.tolist(), front.to_real.tolist(), strict=True)))
        for kind in ("exclusive", "inclusive")
        for order in ORDERS
        for front in [frontier_discrete(p, q, order, kind, equiangular_grid(GRID))]
    ]
    return Comparison(
        real=tuple(p.tolist()),
        model=tuple(q.tolist()),
        divergences={name: _value(DIVERGENCES[name].discrete(p, q)) for name in SHOWN_DIVERGENCES},
        curve=_points(curve),
        pr_divergence=tuple(
            (x, max(0.0, d)) for x, d in zip(curve.lam.tolist(), curve.pr_divergence().tolist(), strict=True)
        ),
        auc=_value(law.auc()),
        f8=_value(law.f_max(8.0)),
        f1_8=_value(law.f_max(1 / 8)),
        support_precision=float(ends.precision[1]),
        support_recall=float(ends.recall[0]),
        largest_ratio=largest_ratio(p, q),
        frontiers=tuple(frontiers),
        refined=_refine(p, q, lam, budget),
    )


def _refine(p: Any, q: Any, lam: Any, budget: float) -> Refinement:
    import torch

    from trainables.divergences import DIVERGENCES
    from trainables.precision_recall import RatioLaw
    from trainables.rejection import guaranteed_improvement, refine_obrs

    refined = refine_obrs(p, q, budget)
    after = RatioLaw.from_masses(p, refined.law)
    ends = after.curve(torch.tensor([0.0, math.inf]))
    return Refinement(
        budget=budget,
        constant=math.exp(refined.constant) if refined.constant < 700 else math.inf,
        acceptance=refined.rate,
        per_outcome=tuple(refined.acceptance.tolist()),
        law=tuple(refined.law.tolist()),
        divergences={name: _value(DIVERGENCES[name].discrete(p, refined.law)) for name in SHOWN_DIVERGENCES},
        improvement=guaranteed_improvement(p, q, budget),
        # The stretch of Theorem 6.2.3, read where Kλ' is the λ that was asked for.
        curve=_points(RatioLaw.from_masses(p, q).curve(lam / budget).stretched(budget)),
        auc=_value(after.auc()),
        support_precision=float(ends.precision[1]),
        support_recall=float(ends.recall[0]),
    )


def _default_trade_offs(law: Any, budget: float) -> list[float]:
    """An equiangular grid, with every λ where the curve bends and every Kλ where the refined one may."""
    from trainables.precision_recall import equiangular_grid

    bends = [lam for lam in law.breakpoints().tolist() if 0 < lam < math.inf]
    return [*equiangular_grid(GRID).tolist(), *bends, *(budget * lam for lam in bends)]


def _points(curve: Any) -> tuple[Point, ...]:
    rows = zip(curve.lam.tolist(), curve.precision.tolist(), curve.recall.tolist(), strict=True)
    return tuple(Point(lam, min(1.0, alpha), min(1.0, beta)) for lam, alpha, beta in rows)


def _rows(points: Sequence[Point]) -> list[dict[str, float]]:
    return [{"lambda": p.lam, "precision": p.precision, "recall": p.recall} for p in points]


def _value(tensor: Any) -> float:
    return float(tensor)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _finite_values(values: dict[str, float]) -> dict[str, float | None]:
    return {name: _finite(value) for name, value in values.items()}
