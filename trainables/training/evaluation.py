"""What a population is worth: every trial measured, and read at every rejection budget.

The result is plain data. Who tracks it, and where, is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

from trainables.config import TrialConfig
from trainables.measures.frechet import frechet_distance, gaussian_statistics
from trainables.measures.knn.neighbours import knn_radii, precision_recall_density_coverage
from trainables.measures.modes import mode_measures
from trainables.precision_recall import PRCurve, curve_discrete, curve_from_log_ratio, equiangular_grid
from trainables.rejection.calibration import calibrate
from trainables.rejection.obrs import acceptance, budget_constant
from trainables.sources.mixtures import GaussianMixture, mixture
from trainables.training.population import Population
from trainables.training.randomness import Noise, Stream

__all__ = ["Evaluation", "Reference", "evaluate", "reference"]

_INERT = 1e-3
"""λ bites only if at least this share of the points generated in training lies on either side of r̂ = 1/λ."""
_SHOWN = 500
"""Points of a trial kept for pictures."""
_CURVE_POINTS = 101
_HISTOGRAM_SAMPLES = 50_000


@dataclass(frozen=True)
class Evaluation:
    """One trial at one iteration.

    Attributes:
        iteration: training iterations so far.
        final: whether the trial is trained to its end.
        metrics: measures without refinement.
        budgets: per budget K, the same measures of the accepted points and the measured ``acceptance``.
        samples: points to show: ``real`` and ``fake`` (n, d), ``budgets`` by K.
        curve: the PR curve: ``lambda``, ``precision``, ``recall``, ``source``.
        diverged: why the trial cannot go on, if so.
    """

    iteration: int
    final: bool
    metrics: dict[str, float]
    budgets: dict[float, dict[str, float]] = field(default_factory=dict)
    samples: dict[str, Any] = field(default_factory=dict)
    curve: dict[str, Any] = field(default_factory=dict)
    diverged: str | None = None


@dataclass(frozen=True)
class Reference:
    """Real points and what is computed from them once: radii (n,), mean (d,), covariance (d, d)."""

    points: Tensor
    radii: Tensor
    mean: Tensor
    covariance: Tensor

    def measure(self, law: GaussianMixture, fake: Tensor, k: int) -> dict[str, float]:
        """Every measure of generated points (n, d) against these real ones."""
        neighbours = precision_recall_density_coverage(self.points, fake, k, real_radii=self.radii)
        modes = mode_measures(law, fake)
        return {
            "precision": neighbours.precision,
            "recall": neighbours.recall,
            "density": neighbours.density,
            "coverage": neighbours.coverage,
            "fid": frechet_distance(self.mean, self.covariance, *gaussian_statistics(fake)),
            "quality": modes.quality,
            "modes_hit": modes.modes_hit,
            "modes_held": modes.modes_held,
        }


@lru_cache(maxsize=8)
def reference(dataset: str, samples: int, k: int) -> Reference:
    """The real side of all measures, the same for every trial of a dataset."""
    law = mixture(dataset)
    noise = Noise(torch.tensor([20240601]))
    points = law.transform(
        noise.uniform(Stream.UNSEEN, 0, samples)[0], noise.normal(Stream.UNSEEN, 1, samples, law.dim)[0]
    )
    return Reference(points, knn_radii(points, k), *gaussian_statistics(points))


def evaluate(population: Population, final: bool) -> list[Evaluation]:
    """Measure every trial; with ``final``, also at its budgets K, with points and PR curve to show.

    Time O(T · (n log n) · budgets) in low dimension for n evaluation samples; memory O(T · K_max · n).
    """
    first = population.configs[0].evaluation
    budget = max(max(c.refinement.budgets) for c in population.configs) if final else 1.0
    pool = population.sample(_pool_size(first.samples, budget), population.iteration)
    log_ratio = population.log_ratio(pool)
    real_log_ratio = population.log_ratio(population.real(first.samples, population.iteration))
    slope, _ = calibrate(real_log_ratio.nan_to_num(), log_ratio[:, : first.samples].nan_to_num())
    calibrated = slope.unsqueeze(1) * log_ratio
    losses = population.losses.cpu()
    bounds = population.lipschitz_bound().cpu()
    accept = population.chances(pool.shape[1], population.iteration)
    now = population.objective.sides(log_ratio[:, : first.samples]).cpu()
    training = population.lam_sides().cpu()
    curves = _curves(population) if final else [{}] * len(population.configs)
    out = []
    for index, config in enumerate(population.configs):
        # The pool is as long as the largest budget of the pack needs; a trial looks at its own part of it.
        own = _pool_size(first.samples, max(config.refinement.budgets) if final else 1.0)
        if not bool(
            (torch.isfinite(pool[index, :own]).all(-1) & torch.isfinite(log_ratio[index, :own])).all()
        ):
            out.append(_diverged(population.iteration, final))
            continue
        points = pool[index, :own].cpu()
        ref = reference(config.dataset.name, config.evaluation.samples, config.evaluation.k)
        metrics = ref.measure(mixture(config.dataset.name), points[: config.evaluation.samples], first.k)
        metrics |= {
            "critic_loss": float(losses[index, 0]),
            "generator_loss": float(losses[index, 1]),
            "critic_lipschitz": float(bounds[index]),
            "calibration": float(slope[index]),
        }
        metrics |= _bite(config, now[index], training[index])
        budgets, kept = (
            _read_budgets(config, ref, points, calibrated[index].cpu(), accept[index].cpu())
            if final
            else ({}, {})
        )
        shown = points[: min(first.samples, _SHOWN)].numpy()
        samples = {"real": ref.points[:_SHOWN].numpy(), "fake": shown, "budgets": kept}
        out.append(
            Evaluation(population.iteration, final, metrics, budgets, samples if final else {}, curves[index])
        )
    return out


def _pool_size(samples: int, budget: float) -> int:
    """Enough proposals that K_max leaves ``samples`` accepted points but for a six-sigma accident."""
    return int(budget * (samples + 6 * samples**0.5)) + 1 if budget > 1 else samples


def _diverged(iteration: int, final: bool) -> Evaluation:
    reason = f"diverged: samples or critic are not finite at iteration {iteration}; lower the learning rates"
    return Evaluation(iteration, final, {}, diverged=reason)


def _bite(config: TrialConfig, now: Tensor, training: Tensor) -> dict[str, float]:
    """Shares (2,) of generated points with λ r̂ < 1 and > 1, now and averaged over training; is λ inert?

    When r̂ never passes 1/λ, min(λ r̂, 1) is λ r̂ (or 1) everywhere and λ only scales the loss (or stops it).
    The question has no answer before λ has trained anything, as in a flow's warm-up.
    """
    if config.objective.lam is None:
        return {}
    inert = {} if training.isnan().any() else {"lam_inert": float(training.min() < _INERT)}
    return {"lam_below": float(now[0]), "lam_above": float(now[1]), **inert}


def _read_budgets(
    config: TrialConfig, ref: Reference, points: Tensor, log_ratio: Tensor, uniform: Tensor
) -> tuple[dict[float, dict[str, float]], dict[str, Any]]:
    """OBRS at every K from one pool: accept where u < min(c_K r, 1). K = 1 keeps all."""
    law = mixture(config.dataset.name)
    budgets: dict[float, dict[str, float]] = {}
    shown: dict[str, Any] = {}
    for budget in config.refinement.budgets:
        size = _pool_size(config.evaluation.samples, budget)
        keep = uniform[:size] <= acceptance(log_ratio[:size], budget_constant(log_ratio[:size], budget))
        accepted = points[:size][keep]
        chosen = accepted[: config.evaluation.samples]
        measures = ref.measure(law, chosen, config.evaluation.k)
        budgets[budget] = {**measures, "acceptance": len(accepted) / size}
        shown[f"{budget:g}"] = chosen[:_SHOWN].numpy()
    return budgets, shown


def _curves(population: Population) -> list[dict[str, Any]]:
    """PR curves against the true density: exact for flows, from a fine histogram of many samples otherwise."""
    grid = equiangular_grid(_CURVE_POINTS)
    samples = population.sample(_HISTOGRAM_SAMPLES, population.iteration)
    if population.flow:
        source = "exact"
        ratios = population.law.log_prob(samples) - population.log_prob(samples)
        curves = [curve_from_log_ratio(row.cpu().double(), grid) for row in ratios]
    else:
        source = "histogram"
        law = mixture(population.configs[0].dataset.name)
        low, high = law.span()
        edges = torch.linspace(low, high, int((high - low) / law.sigma) + 1, dtype=torch.float64)
        mass = law.cell_masses(edges)
        target = torch.cat((mass, (1 - mass.sum()).clamp(min=0).reshape(1)))
        curves = [curve_discrete(target, _cell_shares(row.cpu(), edges), grid) for row in samples]
    return [_plain(curve, source) for curve in curves]


def _plain(curve: PRCurve, source: str) -> dict[str, Any]:
    """A curve as lists. α_λ ≤ min(1, λ) for all laws, so an estimate above it is nearer the truth when cut to it.

    Empty where the density of a flow overflows: there is no curve to show.
    """
    if not (np.isfinite(curve.precision).all() and np.isfinite(curve.recall).all()):
        return {}
    return {
        "lambda": curve.lam.tolist(),
        "precision": np.minimum(curve.precision, np.minimum(1.0, curve.lam)).tolist(),
        "recall": np.minimum(curve.recall, np.minimum(1.0, 1.0 / curve.lam)).tolist(),
        "source": source,
    }


def _cell_shares(x: Tensor, edges: Tensor) -> Tensor:
    """Shares of points (n, d) in the cells of edges^d, flattened, and outside of all, last."""
    bins = len(edges) - 1
    index = torch.searchsorted(edges, x.double().contiguous()) - 1
    inside = ((index >= 0) & (index < bins)).all(dim=1)
    flat = torch.zeros(len(x), dtype=torch.int64)
    for axis in range(x.shape[1]):
        flat = flat * bins + index[:, axis]
    flat = torch.where(inside, flat, bins ** x.shape[1])
    return torch.bincount(flat, minlength=bins ** x.shape[1] + 1).double() / len(x)
