"""What a population is worth: every trial measured, and at its end read through every refinement.

The result is plain data. Who tracks it, and where, is not known here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from trainables.datasets import Dataset
from trainables.evaluation.apart import apart
from trainables.evaluation.curves import model_curves
from trainables.evaluation.likelihood import likelihood
from trainables.evaluation.reading import PLAIN, Cost, Evaluation, Reading, mean_readings
from trainables.evaluation.real_side import RealSide, real_side
from trainables.evaluation.settings import ReadingPlan
from trainables.evaluation.shown import Shown, shown
from trainables.evaluation.steepness import steepness
from trainables.faults import Fault, fault_of
from trainables.refinements import Proposals, Refinement
from trainables.rejection.calibration import calibrate
from trainables.sources.source import Batch
from trainables.training.population import Population
from trainables.training.precision import products

__all__ = ["evaluate", "prepare"]

_INERT = 1e-3
"""λ acts only if at least this share of the points generated in training lies on either side of the bend."""
_CPU_NUMBERS, _CUDA_NUMBERS = 1 << 23, 1 << 26
"""Numbers in the points that are read at a time."""


def evaluate(population: Population, plan: ReadingPlan, final: bool) -> list[Evaluation]:
    """Measure every trial; with ``final``, also through every refinement, with points and PR curve to show.

    A trial whose samples are not finite, or whose refinement or metrics raise, is at fault by itself: its neighbours
    are measured all the same. Time O(T · (n log n) · readings · repeats) in low dimension for n evaluation samples;
    memory O(T · K_max · n).
    """
    with products("float32", population.device):
        return _evaluate(population, plan.of(population.configs[0].dataset), final)


def prepare(dataset: Dataset, plan: ReadingPlan, device: torch.device | str) -> None:
    """Make what evaluations need of the data, once in a process: what is amiss with it is told before training."""
    with products("float32", torch.device(device)):
        _real_side(dataset, plan.of(dataset), torch.device(device))


def _real_side(dataset: Dataset, plan: ReadingPlan, device: torch.device) -> RealSide:
    features = plan.evaluation.features
    assert features is not None  # the plan is of this dataset
    return real_side(dataset, features, plan.evaluation.samples, device)


def _evaluate(population: Population, plan: ReadingPlan, final: bool) -> list[Evaluation]:
    samples, step = plan.evaluation.samples, population.iteration
    count = plan.proposals() if final else samples
    drawn = _Drawn.of(population, count)
    pool, logits, log_ratio = drawn.pool, drawn.logits, drawn.log_ratio
    unseen = population.real(samples, step)
    slope, _ = calibrate(population.log_ratio(unseen).nan_to_num(), log_ratio[:, :samples].nan_to_num())
    real = _real_side(population.configs[0].dataset, plan, population.device)
    bound = population.lipschitz_bound()
    told = {"critic_lipschitz": bound, "constraint_excess": bound / population.constraint.promised() - 1}
    if final:
        told |= steepness(population, pool, unseen, real.points) | likelihood(population, unseen)
    diagnostics = _diagnostics(population, logits[:, :samples], log_ratio[:, :samples], slope, told)
    spread = _spread(pool.x[:, :samples], real.points)
    curves: list[dict[str, Any]] = model_curves(population) if final else [{} for _ in population.configs]
    beside = shown(real.points, None if pool.y is None else real.labels, real.span) if final else Shown()
    readings = [_read(real, plan, drawn, slope, final)]
    del drawn, pool, logits, log_ratio  # memory is that of one draw
    for repeat in range(1, plan.evaluation.repeats if final else 1):
        readings.append(_read(real, plan, _Drawn.of(population, count, repeat), slope, final))
    out = []
    for index in range(len(population.configs)):
        found = mean_readings([each.get(index, _diverged(step)) for each in readings])
        if isinstance(found, Fault):
            out.append(Evaluation(step, final, fault=found))
        else:
            own = {**diagnostics[index], "sample_spread": spread[index]}
            points, classes = beside
            out.append(Evaluation(step, final, found, own, points, curves[index], real_classes=classes))
    return out


@dataclass(frozen=True, eq=False)
class _Drawn:
    """Samples (T, n, *shape) with what the critics make of them, (T, n), and the uniforms that will decide on them."""

    pool: Batch
    logits: Tensor
    log_ratio: Tensor
    uniform: Tensor

    @staticmethod
    def of(population: Population, count: int, repeat: int = 0) -> _Drawn:
        pool = population.sample(count, population.iteration, repeat)
        logits = population.logits(pool)
        uniform = population.accept_uniforms(count, population.iteration, repeat)
        return _Drawn(pool, logits, population.objective.log_ratio(logits), uniform)

    def sound(self) -> list[int]:
        """Trials all of whose samples and ratios are finite."""
        finite = _finite(self.pool.x) & torch.isfinite(self.log_ratio).all(dim=1)
        return [index for index, good in enumerate(finite.tolist()) if good]


def _read(
    real: RealSide, plan: ReadingPlan, drawn: _Drawn, slope: Tensor, final: bool
) -> dict[int, tuple[Reading, ...] | Fault]:
    """What every trial with sound samples reads, by its index."""
    x = drawn.pool.x
    proposals = Proposals(x, slope.unsqueeze(1) * drawn.log_ratio, drawn.uniform)
    found: dict[int, tuple[Reading, ...] | Fault] = {}
    numbers = len(plan.readings()) * plan.evaluation.samples * x[0, 0].numel()
    for rows in _blocks(drawn.sound(), numbers, x.device):
        found |= dict(zip(rows, _readings(real, plan, proposals, drawn.pool.y, rows, final), strict=True))
    return found


def _finite(pool: Tensor) -> Tensor:
    """(T,) whether all samples (T, n, *shape) of a trial are finite."""
    return torch.isfinite(pool).flatten(1).all(dim=1)


def _spread(pool: Tensor, real: Tensor) -> list[float]:
    """√(Σ Var over coordinates) of samples (T, n, *shape) over that of real ones (m, *shape): 0 of a single point."""
    deviation = pool.flatten(2).var(dim=1).sum(dim=1).sqrt().cpu()
    found: list[float] = (deviation / real.flatten(1).var(dim=0).sum().sqrt().clamp_min(1e-12)).tolist()
    return found


def _diverged(iteration: int) -> Fault:
    return Fault(
        f"diverged: samples or critic are not finite at iteration {iteration}; lower the learning rates",
        "diverged",
    )


def _blocks(rows: Sequence[int], numbers: int, device: torch.device) -> Iterator[Sequence[int]]:
    """Trials that are read at a time, each of so many ``numbers`` in all its readings: memory stays bounded."""
    step = max(1, (_CUDA_NUMBERS if device.type == "cuda" else _CPU_NUMBERS) // max(numbers, 1))
    for start in range(0, len(rows), step):
        yield rows[start : start + step]


@dataclass(frozen=True, eq=False)
class _Look:
    """Points of a trial to be measured, and the reading they will make."""

    points: Tensor
    method: str
    budget: float
    acceptance: float = 1.0
    cost: Cost | None = None
    classes: Tensor | None = None
    rejected: Tensor | None = None


def _readings(
    real: RealSide,
    plan: ReadingPlan,
    proposals: Proposals,
    classes: Tensor | None,
    rows: Sequence[int],
    final: bool,
) -> list[tuple[Reading, ...] | Fault]:
    """Of each of some trials: the model as it is, then every refinement at every budget; or its fault."""
    samples = plan.evaluation.samples
    found: list[list[_Look] | Exception] = [
        [
            _Look(
                proposals.points[i, :samples],
                *PLAIN,
                classes=None if classes is None else classes[i, :samples],
            )
        ]
        for i in rows
    ]
    for refinement in plan.refinements if final else ():
        added = apart(rows, lambda some, r=refinement: _refined(r, proposals, classes, some, samples))  # type: ignore[misc]
        for at, more in enumerate(added):
            looks = found[at]
            if isinstance(more, Exception):
                found[at] = looks if isinstance(looks, Exception) else more
            elif not isinstance(looks, Exception):
                found[at] = looks + more
    asked = [look.points for looks in found if not isinstance(looks, Exception) for look in looks]
    measured = iter(real.measure(plan.evaluation, asked, final))
    out: list[tuple[Reading, ...] | Fault] = []
    for looks in found:
        if isinstance(looks, Exception):
            out.append(fault_of(looks))
            continue
        metrics = [next(measured) for _ in looks]
        wrong = next((m for m in metrics if isinstance(m, Exception)), None)
        if wrong is not None:
            out.append(fault_of(wrong))
            continue
        span = real.span if final else None
        out.append(tuple(_reading(look, m, span) for look, m in zip(looks, metrics, strict=True)))  # type: ignore[arg-type]
    return out


def _refined(
    refinement: Refinement,
    proposals: Proposals,
    classes: Tensor | None,
    rows: Sequence[int],
    samples: int,
) -> list[list[_Look]]:
    """What a refinement makes of the samples of some trials, at each of its budgets."""
    chosen = torch.tensor(rows, device=proposals.points.device)
    own = Proposals(proposals.points[chosen], proposals.log_ratio[chosen], proposals.uniform[chosen])
    out = []
    for row, refined in zip(rows, refinement.refine_all(own, samples), strict=True):
        unasked = next((one.budget for one in refined if one.budget not in refinement.asked()), None)
        if unasked is not None:
            raise ValueError(f"refinement '{refinement.name}' gave budget {unasked}, which nobody asked for")
        out.append(
            [
                _Look(
                    one.points.to(proposals.points.device),
                    refinement.name,
                    one.budget,
                    one.acceptance,
                    one.cost,
                    classes=None
                    if classes is None or one.places is None
                    else classes[row].cpu()[one.places.cpu()],
                    rejected=one.rejected,
                )
                for one in refined
            ]
        )
    return out


def _reading(look: _Look, metrics: dict[str, float], span: tuple[float, float] | None) -> Reading:
    """The reading; with points to show where it is told what black and white are."""
    found = Reading(look.method, look.budget, {**metrics, "acceptance": look.acceptance}, look.cost)
    if span is None:
        return found
    classes = None if look.classes is None else look.classes.to(look.points.device)
    samples, kept = shown(look.points, classes, span)
    rejected = None if look.rejected is None else shown(look.rejected, span=span).samples
    return replace(found, samples=samples, classes=kept, rejected=rejected)


def _diagnostics(
    population: Population, logits: Tensor, log_ratio: Tensor, slope: Tensor, told: dict[str, Tensor]
) -> list[dict[str, float]]:
    """How training goes, trial by trial; what is not known of a trial is left out."""
    losses = population.losses
    columns = {
        "critic_loss": losses[:, 0],
        "generator_loss": losses[:, 1],
        "calibration": slope,
        "critic_saturation": population.networks.saturated(logits),
        **lambda_activity(population, log_ratio),
        **told,
    }
    on_cpu = {name: values.cpu().tolist() for name, values in columns.items()}
    return [
        {name: values[index] for name, values in on_cpu.items() if values[index] == values[index]}
        for index in range(len(population.configs))
    ]


def lambda_activity(population: Population, log_ratio: Tensor) -> dict[str, Tensor]:
    """Shares (T,) of generated points below and above the bend of the loss now, and whether λ is inert, and how.

    When r̂ never passes 1/λ, min(λ r̂, 1) is λ r̂ everywhere or 1 everywhere. The first never caps: λ only scales the
    loss. The second starves: no gradient reaches the generator. Either is so if the share of the other side, averaged
    over training, is below one in a thousand. NaN for a trial without a λ; the question has no answer before λ has
    trained anything, as in a flow's warm-up or while the critic is trained alone.
    """
    now = population.objective.sides(log_ratio)
    now = torch.where(population.objective.bend.isnan().unsqueeze(1), torch.nan, now)
    training = population.lam_sides()
    starves, never_caps = torch.where(training.isnan(), torch.nan, (training < _INERT).float()).unbind(dim=1)
    return {
        "lam_below": now[:, 0],
        "lam_above": now[:, 1],
        "lam_inert": torch.maximum(starves, never_caps),
        "lam_never_caps": never_caps,
        "lam_starves": starves,
    }
