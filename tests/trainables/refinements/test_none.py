"""Without a refinement the model is read as it is."""

from __future__ import annotations

import torch

from trainables.refinements import Proposals
from trainables.refinements.none import AsItIs


def test_nothing_is_asked_and_nothing_is_made() -> None:
    assert AsItIs().asked() == ()
    assert AsItIs().proposals(123) == 123
    pool = Proposals(torch.zeros(3, 1), torch.zeros(3), torch.ones(3))
    assert list(AsItIs().refine(pool, 3)) == []
