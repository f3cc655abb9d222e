"""Every refinement that streams, and what comes out of a stream."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from trainables.refinements import REFINEMENTS
from trainables.refinements.budgeted import Budgeted
from trainables.refinements.choosing import Choosing
from trainables.refinements.moving import Moving
from trainables.samplers.constants import tuned
from trainables.samplers.ledger import Ledger
from trainables.samplers.pool import Drawable
from trainables.samplers.refining import Refining

__all__ = ["CHOOSING", "MEMBERS", "MOVING", "choosing", "every", "moving", "stream"]

MEMBERS = {name: kind() for name, kind in REFINEMENTS.loaded().items() if issubclass(kind, Budgeted)}
CHOOSING = {name: member for name, member in MEMBERS.items() if isinstance(member, Choosing)}
MOVING = {name: member for name, member in MEMBERS.items() if isinstance(member, Moving)}
every = pytest.mark.parametrize("method", MEMBERS.values(), ids=MEMBERS)
choosing = pytest.mark.parametrize("method", CHOOSING.values(), ids=CHOOSING)
moving = pytest.mark.parametrize("method", MOVING.values(), ids=MOVING)


def stream(
    model: Drawable,
    method: Budgeted,
    budget: float,
    count: int,
    constants: Tensor | None = None,
    seed: int = 0,
) -> tuple[Tensor, Ledger]:
    found = tuned(model, method, budget, 512, seed=1000) if constants is None else constants
    refining = Refining(model, method, budget, found, seed)
    pieces = [piece.points for piece in refining.pieces(count)]
    return torch.cat(pieces), refining.ledger
