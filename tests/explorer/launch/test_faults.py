"""Faults of a whole pack: told in one line, and what a new process may do better is told from what would come again."""

from __future__ import annotations

import pytest
import torch
from ray.exceptions import ActorDiedError, NodeDiedError, OutOfMemoryError

from explorer.errors import UserError
from explorer.launch.faults import death_of, may_pass

MEMORY = (
    "its process was killed: its node ran out of memory; lower resources.pack, or run fewer packs at once"
)


class _Wrapped(Exception):
    def __init__(self, cause: object) -> None:
        super().__init__("a wrapper\nwith a trace")
        self.cause = cause


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (None, "its process was killed or crashed, perhaps for want of memory; see Ray's logs"),
        (NodeDiedError("gone: node has died"), "its node was lost"),
        (OutOfMemoryError("killed due to the node running low on memory"), MEMORY),
        (ActorDiedError(), "its process was killed or crashed, perhaps for want of memory; see Ray's logs"),
        (RuntimeError("first\nlast\n\n"), "RuntimeError: last"),
        (_Wrapped(KeyError("inside")), "KeyError: 'inside'"),
        (_Wrapped("words"), "_Wrapped: with a trace"),
    ],
)
def test_why_a_pack_was_given_up_is_one_line(error: Exception | None, reason: str) -> None:
    assert death_of(error) == reason


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
