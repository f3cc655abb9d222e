"""Faults of a whole pack: told in one line, and what a new process may do better is told from what would come again."""

from __future__ import annotations

import pytest
import torch
from ray.exceptions import ActorDiedError, NodeDiedError, OutOfMemoryError

from explorer.errors import UserError
from explorer.launch.faults import Death, death_of, may_pass
from trainables.faults import FaultKind

MEMORY = (
    "its process was killed: its node ran out of memory; lower resources.pack, or run fewer packs at once"
)
KILLED = "its process was killed or crashed, perhaps for want of memory; see Ray's logs"


class _Wrapped(Exception):
    def __init__(self, cause: object) -> None:
        super().__init__("a wrapper\nwith a trace")
        self.cause = cause


@pytest.mark.parametrize(
    ("error", "kind", "reason"),
    [
        (None, "process", KILLED),
        (NodeDiedError("gone: node has died"), "node", "its node was lost"),
        (OutOfMemoryError("killed due to the node running low on memory"), "memory", MEMORY),
        (ActorDiedError(), "process", KILLED),
        (RuntimeError("first\nlast\n\n"), "process", "RuntimeError: last"),
        (MemoryError(), "memory", "MemoryError: there was none left"),
        (_Wrapped(KeyError("inside")), "process", "KeyError: 'inside'"),
        (_Wrapped("words"), "process", "_Wrapped: with a trace"),
    ],
)
def test_why_a_pack_was_given_up_is_one_line(error: Exception | None, kind: FaultKind, reason: str) -> None:
    assert death_of(error) == Death(kind, reason)


@pytest.mark.parametrize(
    ("error", "passes"),
    [
        (OSError("no space left"), True),
        (torch.AcceleratorError("CUDA error: an illegal access"), True),
        (ValueError("wrong"), False),
        (UserError("wrong"), False),
        (RuntimeError("mat1 and mat2 shapes cannot be multiplied"), False),
        (MemoryError(), False),
    ],
)
def test_files_and_devices_may_do_better_in_a_new_process(error: Exception, passes: bool) -> None:
    assert may_pass(error) is passes
