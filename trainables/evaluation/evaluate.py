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
from trainables.evaluation.curves import model_curves
from trainables.evaluation.drawing import Drawing
from trainables.evaluation.estimators import law_curve
from trainables.evaluation.findings import Findings
from trainables.evaluation.likelihood import likelihood
from trainables.evaluation.looks import read_all
from trainables.evaluation.reading import Evaluation, Reading, mean_readings
from trainables.evaluation.real_side import RealSide, real_side
from trainables.evaluation.settings import ReadingPlan
from trainables.evaluation.shown import Shown, shown
from trainables.evaluation.steepness import steepness
from trainables.evaluation.told import told_of_training
from trainables.faults import Fault
from trainables.refinements import Proposals
from trainables.rejection.calibration import calibrate
from trainables.samplers.ratios import MOST_RATIOS, Ratios
from trainables.sources.source import Batch
from trainables.training.population import Population
from trainables.training.precision import products

__all__ = ["evaluate", "prepare"]

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


def prepare(dataset: Dataset, plan: ReadingPlan, device: torch.device | str) -> str | None:
    """Make what evaluations need of the data, once in a process: what is amiss with it is told before training.

    → the digest of the data, None of data that is drawn afresh.
    """
    with products("float32", torch.device(device)):
        return _real_side(dataset, plan.of(dataset), torch.device(device)).digest


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
    on_real = population.log_ratio(unseen)
    slope, _ = calibrate(on_real.nan_to_num(), log_ratio[:, :samples].nan_to_num())
    real = _real_side(population.configs[0].dataset, plan, population.device)
    bound = population.lipschitz_bound()
    told = {"critic_lipschitz": bound, "constraint_excess": bound / population.constraint.promised() - 1}
    if final:
        told |= steepness(population, pool, unseen, real.points) | likelihood(population, unseen)
    diagnostics = told_of_training(population, logits[:, :samples], log_ratio[:, :samples], slope, told)
    spread = _spread(pool.x[:, :samples], real.points)
    curves: list[dict[str, Any]] = [{} for _ in population.configs]
    if final:
        curves = model_curves(population, samples)
    beside = shown(real.points, None if pool.y is None else real.labels, real.span) if final else Shown()
    findings: dict[int, Findings] = {}
    view = _View(population, real, plan, slope, slope.unsqueeze(1) * on_real, final)
    readings = [view.read(drawn, findings if final else None)]
    ratios = _ratios(population, drawn, slope) if final else [None] * len(population.configs)
    del drawn, pool, logits, log_ratio  # memory is that of one draw
    for repeat in range(1, plan.evaluation.repeats if final else 1):
        readings.append(view.read(_Drawn.of(population, count, repeat)))
    out = []
    for index in range(len(population.configs)):
        found = mean_readings([each.get(index, _diverged(step)) for each in readings])
        if isinstance(found, Fault):
            out.append(Evaluation(step, final, fault=found))
        else:
            own = {**diagnostics[index], "sample_spread": spread[index]}
            points, classes = beside
            seen = _with_law(findings.get(index), curves[index])
            out.append(
                Evaluation(step, final, found, own, points, curves[index], None, classes, seen, ratios[index])
            )
    return out


def _ratios(population: Population, drawn: _Drawn, slope: Tensor) -> Sequence[Ratios | None]:
    """What each critic says of the first of its trial's draws; None where that is no number."""
    scale = slope * population.objective.slopes()
    values = slope.unsqueeze(1) * drawn.log_ratio[:, :MOST_RATIOS]
    classes = None if drawn.pool.y is None else drawn.pool.y[:, :MOST_RATIOS].cpu().numpy()
    sound = (torch.isfinite(values).all(dim=1) & torch.isfinite(scale)).tolist()
    rows = zip(sound, scale.tolist(), values.cpu().numpy(), strict=True)
    return [
        Ratios(one, own, None if classes is None else classes[row]) if good else None
        for row, (good, one, own) in enumerate(rows)
    ]


def _with_law(findings: Findings | None, curve: dict[str, Any]) -> Findings | None:
    """The curve against the law of the data comes first among all."""
    return findings and replace(findings, curves=(*law_curve(curve), *findings.curves))


@dataclass(frozen=True, eq=False)
class _Drawn:
    """Samples (T, n, *shape) with what the critics make of them, (T, n), and the uniforms that will decide on them."""

    pool: Batch
    logits: Tensor
    log_ratio: Tensor
    uniform: Tensor
    repeat: int

    @staticmethod
    def of(population: Population, count: int, repeat: int = 0) -> _Drawn:
        pool = population.sample(count, population.iteration, repeat)
        logits = population.logits(pool)
        uniform = population.accept_uniforms(count, population.iteration, repeat)
        return _Drawn(pool, logits, population.objective.log_ratio(logits), uniform, repeat)

    def sound(self) -> list[int]:
        """Trials all of whose samples and ratios are finite."""
        finite = _finite(self.pool.x) & torch.isfinite(self.log_ratio).all(dim=1)
        return [index for index, good in enumerate(finite.tolist()) if good]


@dataclass(frozen=True, eq=False)
class _View:
    """How the draws of a population are read: against which data, by which plan, with log r calibrated how.

    Attributes:
        slope: (T,) of the calibration.
        on_real: (T, n) calibrated log r at real points.
    """

    population: Population
    real: RealSide
    plan: ReadingPlan
    slope: Tensor
    on_real: Tensor
    final: bool

    def read(
        self, drawn: _Drawn, findings: dict[int, Findings] | None = None
    ) -> dict[int, tuple[Reading, ...] | Fault]:
        """What every trial with sound samples reads, by its index; what a closer look finds goes into ``findings``."""
        x, slope = drawn.pool.x, self.slope.unsqueeze(1)
        proposals = Proposals(x, slope * drawn.log_ratio, drawn.uniform, self.on_real)

        def drawing(rows: Sequence[int]) -> Drawing:
            own = slope[torch.tensor(rows, device=slope.device)]
            return Drawing(self.population, rows, lambda log_ratio: own * log_ratio, drawn.repeat)

        found: dict[int, tuple[Reading, ...] | Fault] = {}
        numbers = len(self.plan.readings()) * self.plan.evaluation.samples * x[0, 0].numel()
        for rows in _blocks(drawn.sound(), numbers, x.device):
            read = read_all(
                self.real, self.plan, proposals, drawn.pool.y, rows, self.final, findings, drawing
            )
            found |= dict(zip(rows, read, strict=True))
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
