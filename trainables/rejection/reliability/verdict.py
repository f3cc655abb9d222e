"""What to make of a reliability: whether ratios are to be trusted, why not, and what to do."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import torch
from numpy.typing import NDArray

from trainables.rejection.calibration import calibrate
from trainables.rejection.reliability.bins import Bins, Pooled
from trainables.rejection.reliability.misfit import Misfit, contradictions, disorder, misfit

__all__ = ["CHANCE", "Kind", "Measured", "Verdict", "verdict_of"]

Kind = Literal[
    "holds", "shifted", "over-confident", "under-confident", "bent", "disordered", "too few points"
]

CHANCE: Final = 0.01
"""The p-value below which a deviation is not put down to chance."""
SMALL_ERROR: Final = 0.02
SMALL_SHARE: Final = 0.05
"""A deviation that adds no more to the calibration error and exchanges no more of the samples is left alone."""
SHIFT: Final = 0.25
"""An offset of log r that is worth telling: about a factor of 1.3."""
FLAT: Final = 0.05
"""The standard deviation of log r below which rejection exchanges next to nothing."""
VAGUE: Final = 0.25
"""The standard error of the slope from which log ratios could be off by half, and nobody would see it, ..."""
LOOSE: Final = 0.1
"""... and what it is in log r, at one standard deviation of it, from which that would matter."""
APART: Final = 0.05
"""Labels in doubt, as a share of those of equal laws, below which the laws hardly overlap."""
FEW_WEIGHTS: Final = 30.0


@dataclass(frozen=True)
class Verdict:
    """Whether ratios are to be trusted.

    Attributes:
        kind: what is amiss, or that nothing is: ``shifted`` ratios are off by one factor, of which no budget depends.
        trusted: whether rejection may rely on them.
        sentence: why, in one sentence.
        remedy: what to do, in one sentence; empty where nothing has to be done.
    """

    kind: Kind
    trusted: bool
    sentence: str
    remedy: str


@dataclass(frozen=True, eq=False)
class Measured:
    """What a verdict rests on.

    Attributes:
        points, group, bins, misfit, budget: as of ``reliability``.
        excess: expected calibration error beyond chance.
        misplaced, misplaced_by_chance, effective: as of ``Reliability``.
        calibration: by which scores became log ratios; empty if that is not told.
    """

    points: Pooled
    group: NDArray[np.int64]
    bins: Bins
    misfit: Misfit
    budget: float
    excess: float
    misplaced: float
    misplaced_by_chance: float
    effective: float
    calibration: str


def verdict_of(found: Measured) -> Verdict:
    """The verdict: deviations that chance explains, or that are small, are none. O(n) a step of one Platt scaling."""
    test = found.misfit
    p = test.p_value if test.freedom else contradictions(found.points, test.offset)
    if p < CHANCE and _matters(found):
        return _amiss(found, p)
    spread = _spread(found.points)
    vague = test.slope_error > VAGUE and test.slope_error * spread > LOOSE
    if spread > FLAT and (vague or not test.freedom):
        return _vague(found)
    return _holds(found, p)


def _matters(found: Measured) -> bool:
    return found.excess > SMALL_ERROR or found.misplaced - found.misplaced_by_chance > SMALL_SHARE


def _amiss(found: Measured, p: float) -> Verdict:
    """What is wrong: the scale of log ratios if that explains it, else their order, else their shape."""
    points, test = found.points, found.misfit
    slope = _slope(points)
    straight = Pooled(slope * points.log_ratio, points.is_real, points.real, points.fake)
    sloped = test.p_slope < CHANCE or not test.freedom
    told = _p(p)
    if sloped and misfit(straight, found.group).p_shape >= CHANCE:
        return _sloped(found, slope, _spread(straight), told)
    if disorder(found.bins.real, found.bins.fake) < CHANCE:
        return Verdict(
            "disordered",
            False,
            f"The ratio is not in order ({told}): where it is larger, as in {_worst_fall(found.bins)}, there are fewer "
            f"real points; {_exchanged(found)}.",
            "No calibration mends that: fit a classifier after training, or train the critic longer.",
        )
    return Verdict(
        "bent",
        False,
        f"The ratio rises with the true one but not in proportion ({told}); {_exchanged(found)}.",
        "Hold out more points for the calibration, or fit a classifier after training."
        if found.calibration == "isotonic"
        else "Use isotonic calibration, or fit a classifier after training.",
    )


def _sloped(found: Measured, slope: float, spread: float, told: str) -> Verdict:
    """Log ratios that are right but for a factor: too large in size, or too small."""
    if spread < FLAT:
        return Verdict(
            "over-confident",
            False,
            f"The ratio is over-confident ({told}): be it large or small, real points are about as frequent; "
            f"{_exchanged(found)}.",
            "Fit a classifier after training, or train the critic longer.",
        )
    over = slope < 1
    factor = 1 / slope if over else slope
    return Verdict(
        "over-confident" if over else "under-confident",
        False,
        f"The ratio is {'over' if over else 'under'}-confident ({told}): its logarithms are about {factor:.2g} times "
        f"too {'large' if over else 'small'}; {_exchanged(found)}.",
        "Hold out more points for the calibration, or fit a classifier after training."
        if found.calibration in ("slope", "isotonic")
        else "Calibrate it by slope, or by isotonic regression, on points that the critic was not trained on.",
    )


def _vague(found: Measured) -> Verdict:
    """Nothing contradicts the ratio, and hardly anything could."""
    points = found.points
    kinds = f"{points.real:,} real and {points.fake:,} generated points"
    if found.misfit.information < APART * points.real * points.fake / (points.real + points.fake):
        return Verdict(
            "too few points",
            False,
            f"Of {kinds} too few could contradict the ratio: by its word the laws hardly overlap.",
            "Hold out more points, or train the model until more of its samples look real.",
        )
    return Verdict(
        "too few points",
        False,
        f"There are too few points to tell: by {kinds} nobody would see log ratios that are off by half.",
        "Hold out more points of both kinds.",
    )


def _holds(found: Measured, p: float) -> Verdict:
    points, test = found.points, found.misfit
    off = "more than chance, but too little to matter" if p < CHANCE else "no more than chance"
    sentence = (
        f"The ratio holds on {points.real:,} real and {points.fake:,} generated points that it was not fitted on: "
        f"it is off by {off} ({_p(p)})"
    )
    shifted = _shift(test)
    if shifted:
        sentence += f", but for a factor of which no budget depends: {shifted}"
    flat = _spread(points) <= FLAT
    if flat:
        sentence += (
            "; it is so flat that rejection changes next to nothing: the model is as good as the data, or its critic "
            "tells nothing of them"
        )
    elif found.effective < FEW_WEIGHTS:
        sentence += f"; {found.effective:.0f} generated points have about all of its weight"
    better = "hold out more points" if found.calibration == "slope" else "calibrate by slope"
    remedy = f"Where ratios are compared with 1, {better}." if shifted else ""
    if flat:
        remedy = " ".join(
            filter(None, (remedy, "If samples are worse than data, fit a classifier after training."))
        )
    return Verdict("shifted" if shifted else "holds", True, f"{sentence}.", remedy)


def _exchanged(found: Measured) -> str:
    """What it means for rejection, and by what ratios are off besides."""
    shifted = _shift(found.misfit)
    return (
        f"at K = {found.budget:g} some {_percent(found.misplaced)} of the samples kept should be others, "
        f"{_percent(found.misplaced_by_chance)} by chance" + (f"; besides, {shifted}" if shifted else "")
    )


def _shift(test: Misfit) -> str:
    """By which factor all ratios are off, if they are."""
    if abs(test.offset) <= max(SHIFT, 3 * test.offset_error):
        return ""
    factor = math.exp(min(abs(test.offset), 700.0))
    return f"all ratios are {factor:.3g} times too {'small' if test.offset > 0 else 'large'}"


def _slope(points: Pooled) -> float:
    """By which log ratios have to be multiplied, by Platt scaling on the points themselves."""
    log_ratio = torch.from_numpy(points.log_ratio)
    kinds = torch.from_numpy(points.is_real)
    slope, _ = calibrate(log_ratio[kinds][None], log_ratio[~kinds][None])
    return float(slope)


def _spread(points: Pooled) -> float:
    """The standard deviation of log r, classes weighing alike."""
    mean = float(points.weight @ points.log_ratio) / 2
    return math.sqrt(float(points.weight @ (points.log_ratio - mean) ** 2) / 2)


def _worst_fall(bins: Bins) -> str:
    """The two bins side by side between which the share of real points falls most, in standard errors."""
    count = bins.real + bins.fake
    share = bins.real / count
    pooled = (bins.real[1:] + bins.real[:-1]) / (count[1:] + count[:-1])
    error = np.sqrt(np.maximum(pooled * (1 - pooled), 1e-12) * (1 / count[1:] + 1 / count[:-1]))
    place = int(np.argmin(np.diff(share) / error))
    return f"bin {place + 2} against bin {place + 1}"


def _p(value: float) -> str:
    text = "p < 0.01" if value < 0.01 else f"p = {value:.2g}"
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def _percent(share: float) -> str:
    text = f"{100 * share:.0f} %" if share >= 0.0095 or share == 0 else "less than 1 %"
    return text.replace(" %", "\N{NO-BREAK SPACE}%")
