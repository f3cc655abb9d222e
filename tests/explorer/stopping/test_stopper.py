"""A stopper is any frozen dataclass that names trials to end; a family takes it in by its name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import pytest

from explorer.goals import Goal
from explorer.stopping import STOPPERS, Stopper
from explorer.stopping.stopper import Histories
from explorer.sweep import load_sweep
from tests.explorer.stopping.histories import history


@dataclass(frozen=True)
class Hurried(Stopper):
    """Ends what has been evaluated so often."""

    name: ClassVar[str] = "hurried"
    after: int = 1

    def stop(self, histories: Histories, goals: Sequence[Goal]) -> dict[str, str]:
        return {trial: "enough" for trial, seen in histories.items() if len(seen) >= self.after}


@pytest.fixture
def hurried() -> None:
    STOPPERS.add(Hurried)


@pytest.mark.usefixtures("hurried")
def test_a_stopper_of_ones_own_is_named_in_a_sweep_like_ours() -> None:
    stopper = load_sweep("demo", ["stopping={name: hurried, after: 2}"]).stopping
    assert stopper == Hurried(2)
    assert stopper.stop({"a": history(fid=[1.0]), "b": history(fid=[1.0, 1.0])}, ()) == {"b": "enough"}


def test_a_stopper_must_say_whom_it_ends() -> None:
    class Idle(Stopper):
        name = "idle"

    with pytest.raises(TypeError, match="stop"):
        Idle()  # type: ignore[abstract]
