"""Messages cross processes as they are."""

from __future__ import annotations

import pickle

import pytest

from explorer.launch.engine import messages
from explorer.launch.engine.messages import Died, Opening, Put, Ready, Verdict
from explorer.launch.faults import Death
from explorer.launch.slots import Slots
from explorer.sweep.resources import ResourceSpec


@pytest.mark.parametrize(
    "message",
    [
        Opening("auto", ResourceSpec(cpus=2.0)),
        Put("p", {"pack": "{}", "gpus": 0.5}),
        Ready(Slots(2, gpu=True), 0.5),
        Died("lane", Death("node", "its node was lost")),
        Verdict({"a": (4, False)}, {"b": "halved: …"}),
    ],
    ids=lambda message: type(message).__name__,
)
def test_what_is_sent_is_what_arrives(message: object) -> None:
    assert pickle.loads(pickle.dumps(message)) == message


def test_all_are_listed() -> None:
    kinds = {
        name for name, kind in vars(messages).items() if getattr(kind, "__module__", "") == messages.__name__
    }
    assert kinds <= set(messages.__all__)
