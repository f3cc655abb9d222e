"""What is read of samples that were drawn: the model as it is, then every refinement at every budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate

import torch
from torch import Tensor

from trainables.evaluation.apart import apart
from trainables.evaluation.drawing import Drawing
from trainables.evaluation.findings import Findings
from trainables.evaluation.reading import PLAIN, Cost, Reading
from trainables.evaluation.real_side import RealSide
from trainables.evaluation.settings import ReadingPlan
from trainables.evaluation.shown import POINTS, shown
from trainables.faults import Fault, fault_of
from trainables.refinements import Proposals, Refined, Refinement

__all__ = ["Drawings", "read_all"]

Drawings = Callable[[Sequence[int]], Drawing]


@dataclass(frozen=True, eq=False)
class Look:
    """Points of a trial to be measured, and the reading they will make."""

    points: Tensor
    method: str
    budget: float
    acceptance: float = 1.0
    cost: Cost | None = None
    classes: Tensor | None = None
    rejected: Tensor | None = None


def read_all(
    real: RealSide,
    plan: ReadingPlan,
    proposals: Proposals,
    classes: Tensor | None,
    rows: Sequence[int],
    final: bool,
    findings: dict[int, Findings] | None,
    drawing: Drawings | None = None,
) -> list[tuple[Reading, ...] | Fault]:
    """Of each of some trials: the model as it is, then every refinement at every budget; or its fault.

    Args:
        proposals: samples of all trials (T, n, *shape), with their ``classes`` (T, n), where they have some.
        rows: the trials.
        final: whether refinements are read too, and points are kept to be shown.
        findings: where what a closer look finds is put, by trial; None for no such look.
        drawing: trials → how they draw again, for refinements that call the networks.
    """
    samples = plan.evaluation.samples
    found: list[list[Look] | Exception] = [
        [
            Look(
                proposals.points[i, :samples],
                *PLAIN,
                classes=None if classes is None else classes[i, :samples],
            )
        ]
        for i in rows
    ]
    for refinement in plan.refinements if final else ():
        added = apart(rows, partial(_refined, refinement, proposals, classes, samples, drawing))
        for at, more in enumerate(added):
            looks = found[at]
            if isinstance(more, Exception):
                found[at] = looks if isinstance(looks, Exception) else more
            elif not isinstance(looks, Exception):
                found[at] = looks + more
    sound = [(row, looks) for row, looks in zip(rows, found, strict=True) if not isinstance(looks, Exception)]
    asked = [look.points for _, looks in sound for look in looks]
    starts = accumulate((len(looks) for _, looks in sound), initial=0)
    plain = dict(zip(starts, (row for row, _ in sound), strict=False))  # each begins with the model as it is
    closer = real.closer_look(plain) if findings is not None else None
    measured = iter(real.measure(plan.evaluation, asked, final, closer))
    if closer is not None and findings is not None:
        findings |= {plain[number]: one for number, one in closer.found.items()}
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
    samples: int,
    drawing: Drawings | None,
    rows: Sequence[int],
) -> list[list[Look]]:
    """What a refinement makes of the samples of some trials, at each of its budgets."""
    own = _of_rows(proposals, rows, drawing)
    out = []
    for row, refined in zip(rows, refinement.refine_all(own, samples), strict=True):
        unasked = next((one.budget for one in refined if one.budget not in refinement.asked()), None)
        if unasked is not None:
            raise ValueError(f"refinement '{refinement.name}' gave budget {unasked}, which nobody asked for")
        out.append(
            [
                Look(
                    one.points.to(proposals.points.device),
                    refinement.name,
                    one.budget,
                    one.acceptance,
                    one.cost,
                    classes=None
                    if classes is None or one.places is None
                    else classes[row].cpu()[one.places.cpu()],
                    rejected=_refused(proposals.points[row], one),
                )
                for one in refined
            ]
        )
    return out


def _of_rows(proposals: Proposals, rows: Sequence[int], drawing: Drawings | None) -> Proposals:
    """Those of some trials; how they can be drawn again is found when it is asked for."""
    chosen = torch.tensor(rows, device=proposals.points.device)
    points = proposals.points[chosen]
    return Proposals(
        points,
        proposals.log_ratio[chosen],
        proposals.uniform[chosen],
        None if proposals.real is None else proposals.real[chosen],
        None if drawing is None else lambda count: drawing(rows).blocks(points[:, :count]),
    )


def _refused(drawn: Tensor, one: Refined) -> Tensor | None:
    """Which of the draws (n, *shape) to show as refused: of points those between the ones that were kept, as they came.

    So they stand to the accepted ones as all refused draws do. Of images, and where it is not known which draws were
    kept, what the refinement tells.
    """
    if drawn.ndim != 2 or one.places is None or not len(one.places):
        return one.rejected
    refused = torch.ones(int(one.places.max()) + 1, dtype=torch.bool, device=drawn.device)
    refused[one.places.to(drawn.device)] = False
    return drawn[refused.nonzero().flatten()[:POINTS]]


def _reading(look: Look, metrics: dict[str, float], span: tuple[float, float] | None) -> Reading:
    """The reading; with points to show where it is told what black and white are."""
    found = Reading(look.method, look.budget, {**metrics, "acceptance": look.acceptance}, look.cost)
    if span is None:
        return found
    classes = None if look.classes is None else look.classes.to(look.points.device)
    samples, kept = shown(look.points, classes, span)
    rejected = None if look.rejected is None else shown(look.rejected, span=span).samples
    return replace(found, samples=samples, classes=kept, rejected=rejected)
