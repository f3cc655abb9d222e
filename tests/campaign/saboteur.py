"""An objective and a metric that do as they are told by files: go wrong once. Copied beside the sweeps of a campaign.

An order is a file ``KIND.N`` in ``folder``: the next N times are to go wrong. Whoever renames it has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from trainables.metrics import Entry, Metric, Scores
from trainables.objectives.pr import PR

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.objectives.objective import Columns


def ordered(folder: str, kind: str) -> bool:
    """Whether it is our turn to go wrong."""
    if not folder:
        return False
    for left in (1, 2):
        order = Path(folder) / f"{kind}.{left}"
        try:
            order.rename(order.with_name(f"{kind}.{left - 1}"))
        except FileNotFoundError:
            continue  # nobody ordered, or another was faster
        return True
    return False


@dataclass(frozen=True)
class Faulty(PR):
    """PR-GAN whose loss is not a number for one trial of a pack, when ordered."""

    name: ClassVar[str] = "faulty"
    folder: str = ""

    def generator_loss(self, fake: Tensor, columns: Columns) -> Tensor:
        """As it should be, but for the first row."""
        loss = super().generator_loss(fake, columns)
        if ordered(self.folder, "nan"):
            spoilt = loss.new_ones(loss.shape)
            spoilt.view(-1)[0] = float("nan")
            return loss * spoilt
        return loss


@dataclass(frozen=True)
class Grumble(Metric):
    """A metric that raises, when ordered."""

    name: ClassVar[str] = "grumble"
    entries: ClassVar[tuple[Entry, ...]] = (Entry("calm", "Calm", "Always 1.", "max", 0, 1),)
    folder: str = ""

    def measure(self, pair: Any) -> Scores:
        """1, or an exception."""
        if ordered(self.folder, "raise"):
            raise LookupError("this evaluation was told to fail")
        return Scores({"calm": 1.0})
