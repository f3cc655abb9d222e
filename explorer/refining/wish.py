"""What is asked of a refinement: the method with its fields, the budgets, and how the ratio is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from explorer.devices import torch_device
from explorer.errors import UserError, shown
from trainables.family import at_most
from trainables.nearest import nearest

if TYPE_CHECKING:
    from trainables.refinements import Refinement
    from trainables.refinements.budgeted import Budgeted

__all__ = ["CALIBRATIONS", "RATIOS", "Wish", "parse_budgets"]

RATIOS = ("critic", "density", "classifier")
"""From what the ratio of the densities of a trial can be known."""
CALIBRATIONS = ("none", "normalised", "slope", "isotonic")
CHANGEABLE = ("refinement", "evaluation", "dataset")
USUAL_BUDGETS = (1.0, 2.0, 4.0, 8.0)
MOST_SAMPLES = 10**6


@dataclass(frozen=True)
class Wish:
    """What is asked of one model.

    Attributes:
        method: name of the refinement.
        budgets: K at which it is read.
        samples: at every budget; None for as many as the trial was read with.
        seed: of the draws.
        ratio: from what it is known, one of ``RATIOS``.
        calibration: one of ``CALIBRATIONS``; None for ``slope``, of a critic whose objective knows the ratio.
        device: where samples are drawn and measured.
        label: the class of all samples; None for any.
        changes: further values by path, as ``--set`` has them: ``refinement.rate=0.01``, ``dataset.root=/data``.
    """

    method: str = "obrs"
    budgets: tuple[float, ...] = USUAL_BUDGETS
    samples: int | None = None
    seed: int = 0
    ratio: str = "critic"
    calibration: str | None = None
    device: str = "auto"
    label: int | None = None
    changes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_word("the ratio", self.ratio, RATIOS)
        if self.calibration is not None:
            _check_word("the calibration", self.calibration, CALIBRATIONS)
        if self.samples is not None and not 1 <= self.samples <= MOST_SAMPLES:
            raise UserError(f"samples must be a number from 1 to {MOST_SAMPLES:,}, got {self.samples}")
        if not 0 <= self.seed < 2**62:
            raise UserError(f"the seed must lie in [0, 2^62), got {self.seed}")
        for change in self.changes:
            _check_change(change)
        for budget in self.budgets:
            if not budget >= 1 or budget == float("inf"):
                raise UserError(f"budget K must be ≥ 1, got {budget:g}; use K=1 to accept every sample")

    def torch_device(self) -> str:
        """The device by its torch name; ``auto`` is CUDA where there is one."""
        return torch_device(self.device)

    def section(self) -> dict[str, Any]:
        """As the section ``refinement`` of a sweep file; budgets are not in it, since not all methods have some."""
        return {"name": self.method}

    def streamed(self, method: Refinement) -> Budgeted:
        """A refinement at the budgets that are wished; refused where samples cannot be streamed through it."""
        from trainables.refinements.choosing import Choosing
        from trainables.refinements.moving import Moving

        if not isinstance(method, Choosing | Moving):
            raise UserError(
                f"a refinement is streamed where it chooses among draws or moves them, and '{method.name}' does "
                "neither; read it by a sweep, or build it on trainables.refinements.choosing.Choosing or "
                "trainables.refinements.moving.Moving"
            )
        try:
            return replace(method, budgets=tuple(self.budgets))
        except ValueError as error:
            raise UserError(f"refinement '{method.name}' cannot be read so: {error}") from error


def parse_budgets(text: str) -> tuple[float, ...]:
    """``1,2,4,8`` → numbers."""
    try:
        found = tuple(float(part) for part in text.split(",") if part.strip())
    except ValueError:
        found = ()
    if not found:
        raise UserError(f"budgets must be numbers with commas, such as 1,2,4,8, got {shown(text)}")
    try:
        at_most(100, **{"the number of budgets": len(found)})
    except ValueError as error:
        raise UserError(str(error)) from None
    return found


def _check_change(change: str) -> None:
    """Refuse a change of what a trained model can no longer be, or of what has a word of its own."""
    path = change.partition("=")[0].strip()
    if path.partition(".")[0] not in CHANGEABLE:
        raise UserError(
            f"of a trained model {', '.join(CHANGEABLE[:-1])} and {CHANGEABLE[-1]} can be set, got {shown(path)}; "
            "train another for the rest"
        )
    if path in ("refinement.name", "refinement.budgets"):
        raise UserError(f"{path} is given by the method and the budgets that are asked for; leave it out")


def _check_word(what: str, word: str, known: Sequence[str]) -> None:
    if word not in known:
        raise UserError(f"{what} cannot be {shown(word)}{nearest(word, list(known))}")
