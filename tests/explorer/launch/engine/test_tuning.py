"""Lanes as Ray Tune sees them: as many as there is work for, and what they died of."""

from __future__ import annotations

import pickle
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from ray.tune.search import Searcher

from explorer.launch.engine.messages import Died, Event, Put, Stop
from explorer.launch.engine.tuning import Tuning, _death, _Lanes, _Signs
from explorer.launch.faults import Death
from explorer.sweep.resources import ResourceSpec


@dataclass
class TuneTrial:
    """What is needed of a trial of Ray Tune."""

    trial_id: str = "lane"
    error_file: str | None = None
    pickled_error_file: str | None = None

    def died(self, error: Exception, pickled: bool = True) -> None:
        """Leave what it died of where Tune leaves it; of some deaths Tune has words only."""
        folder = Path(tempfile.mkdtemp())
        words = Path(self.error_file or folder / "error.txt")
        with words.open("a") as file:
            file.write(f"Failure # 1 (occurred at noon)\n{error}\n")
        self.error_file = str(words)
        if pickled:
            self.pickled_error_file = str(folder / "error.pkl")
            Path(self.pickled_error_file).write_bytes(pickle.dumps(error))


@pytest.mark.parametrize(
    ("error", "death"),
    [
        (
            None,
            Death("process", "its process was killed or crashed, perhaps for want of memory; see Ray's logs"),
        ),
        (ValueError(""), Death("process", "ValueError")),
        (MemoryError(), Death("memory", "MemoryError: there was none left")),
        (OSError("x" * 1900), Death("process", "OSError: " + "x" * 991)),
    ],
)
def test_what_a_lane_died_of(error: Exception | None, death: Death) -> None:
    trial = TuneTrial()
    if error is not None:
        trial.died(error)
    assert _death(trial) == death


def test_the_last_death_counts_also_where_there_are_words_only() -> None:
    trial = TuneTrial()
    trial.died(OSError("no space left"))
    assert _death(trial) == Death("process", "OSError: no space left")
    trial.died(RuntimeError("1 worker(s) were killed due to the node running low on memory."), pickled=False)
    assert _death(trial).kind == "memory"


class Speaker:
    """Hears what would be said to the driver."""

    def __init__(self) -> None:
        self.said: list[Event] = []

    def __call__(self, event: Event) -> None:
        self.said.append(event)

    def sign(self) -> None:
        pass


def test_lanes_are_wanted_while_there_is_work(monkeypatch: pytest.MonkeyPatch) -> None:
    tuning = Tuning(ResourceSpec(), 0.0, Speaker())  # type: ignore[arg-type]
    lanes = tuning._lanes
    monkeypatch.setattr(lanes, "_room", lambda: 2)
    assert lanes.suggest("a") is None, "nothing to do yet"
    tuning.heard(Put("p", {}))
    assert [lanes.suggest(name) for name in "ab"] == [{}, None], "as many as there are packs"
    tuning.heard(Put("q", {}))
    tuning.heard(Put("r", {}))
    assert [lanes.suggest(name) for name in "bc"] == [{}, None], "as many as there is room for"
    lanes.on_trial_complete("a")
    assert lanes.suggest("c") == {}, "one gave its place back, or a node came"
    lanes.on_trial_complete("b")
    lanes.on_trial_complete("c")
    assert lanes.suggest("d") is None, "all had nothing to do"
    tuning.heard(Stop())
    assert lanes.suggest("d") == Searcher.FINISHED


def test_lanes_start_before_the_packs_that_are_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    tuning = Tuning(ResourceSpec(), 0.0, Speaker(), packs=2)  # type: ignore[arg-type]
    lanes = tuning._lanes
    monkeypatch.setattr(lanes, "_room", lambda: 4)
    assert [lanes.suggest(name) for name in "abc"] == [{}, {}, None]
    for name in "pqr":
        tuning.heard(Put(name, {}))
    assert [lanes.suggest(name) for name in "cd"] == [{}, None], "the first two packs were the ones expected"


def test_tune_may_pickle_its_parts_and_finds_nothing() -> None:
    speaker = Speaker()
    lanes = _Lanes(ResourceSpec(), 0.0)
    signs = _Signs(speaker)  # type: ignore[arg-type]
    assert lanes.__getstate__() == signs.__getstate__() == {}
    pickle.dumps((lanes, signs))
    signs.on_trial_recover(0, [], TuneTrial("x"))
    signs.on_trial_error(0, [], TuneTrial("y"))
    assert [event.lane for event in speaker.said if isinstance(event, Died)] == ["x", "y"]
