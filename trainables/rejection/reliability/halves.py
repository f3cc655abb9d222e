"""Two halves of held-out points: one that a calibration is fitted on, one that judges it."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from torch import Tensor

from trainables.rejection.calibrations.calibration import Calibration
from trainables.rejection.reliability.reliability import Reliability, reliability

__all__ = ["Halves", "Pair", "fit_and_judge", "halves"]


Kind = TypeVar("Kind", bound=Calibration)


class Pair(NamedTuple):
    """Scores of real (T, N) and of generated (T, M) points."""

    real: Tensor
    fake: Tensor


class Halves(NamedTuple):
    """Points to fit on, and points to judge on; none is in both."""

    fitted: Pair
    judged: Pair


def halves(real: Tensor, fake: Tensor) -> Halves:
    """Every other point of real (…, N) and of generated ones (…, M), so that whatever goes in order is in both.

    Views, no copies. A kind of one point cannot be shared out.
    """
    if real.shape[-1] < 2 or fake.shape[-1] < 2:
        raise ValueError(
            "two halves need at least 2 points of each kind, "
            f"got {real.shape[-1]} real and {fake.shape[-1]} generated; hold out more points"
        )
    return Halves(Pair(real[..., ::2], fake[..., ::2]), Pair(real[..., 1::2], fake[..., 1::2]))


def fit_and_judge(
    kind: type[Kind], real: Tensor, fake: Tensor, budget: float
) -> tuple[Kind, list[Reliability]]:
    """A calibration fitted on one half of scores (T, N) and (T, M), judged at budget K on the other, trial by trial.

    O(T · n log n) for n = N + M.
    """
    fitted, judged = halves(real, fake)
    found = kind.fit(*fitted)
    pairs = zip(found.log_ratio(judged.real), found.log_ratio(judged.fake), strict=True)
    return found, [reliability(*pair, budget, calibration=kind.name) for pair in pairs]
