"""What was measured of a trial, kept in its checkpoint: what a killed driver had not passed on is told again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from trainables.evaluation.reading import PLAIN, Evaluation, Reading

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["from_state", "to_state"]


def to_state(evaluations: Sequence[Evaluation]) -> Tensor:
    """(n,) bytes: iterations with the numbers of the model as it was. O(evaluations)."""
    import torch

    plain = [[one.iteration, one.metrics, one.diagnostics] for one in evaluations]
    return torch.frombuffer(bytearray(json.dumps(plain).encode()), dtype=torch.uint8)


def from_state(state: Tensor) -> list[Evaluation]:
    """What ``to_state`` wrote, without samples or curves; nothing of bytes that are none."""
    try:
        raw = json.loads(bytes(state.tolist()))
        return [
            Evaluation(int(iteration), False, (Reading(*PLAIN, dict(metrics)),), dict(diagnostics))
            for iteration, metrics, diagnostics in raw
        ]
    except (ValueError, TypeError):
        return []
