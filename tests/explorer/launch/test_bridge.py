"""Ray Tune's events reach ledger, store and display: evaluations, endings, and packs that die."""

from __future__ import annotations

import pickle
import tempfile
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from explorer.launch.bridge import Bridge
from explorer.launch.earlier import Earlier, wanted_marks
from explorer.launch.inbox import Inbox
from explorer.launch.ledger import Ledger
from explorer.launch.outcomes import Settled
from explorer.launch.packing import Orders
from explorer.launch.progress import Progress
from explorer.launch.recorder import Recorder
from explorer.launch.searcher import PackSearcher
from explorer.search.points.source import GridSource
from explorer.store.stop import Stop
from explorer.sweep.sweep import Sweep
from tests.explorer.launch.small import configs, made_up, small_sweep, stored, tracker


@dataclass
class TuneTrial:
    """What a bridge needs of a trial of Ray Tune."""

    trial_id: str
    config: dict[str, Any]
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


@dataclass
class Scene:
    """A launch without a cluster: everything real but Tune."""

    sweep: Sweep
    heard: StringIO = field(default_factory=StringIO)

    def __post_init__(self) -> None:
        self.ledger = Ledger(self.sweep, GridSource(self.sweep.space), Earlier(), lambda trial: 0)
        self.recorder = Recorder(tracker(self.sweep), lambda trial: wanted_marks(self.sweep))
        self.progress = Progress(Console(file=self.heard, width=200), 2, 16, ["fid"])
        self.progress.__enter__()
        self.bridge = Bridge(Inbox(self.ledger, self.recorder, self.progress))
        config = PackSearcher(self.ledger, Orders.of(self.sweep), 10, 64, {}).suggest("p")
        assert isinstance(config, dict)
        self.trial = TuneTrial("p", config)

    def result(self, iteration: int, told: dict[str, Any] | None = None) -> dict[str, Any]:
        result: dict[str, Any] = {"reached": 2 * iteration, "done": False}
        if told is not None:
            result["payload"] = pickle.dumps(told)
        self.bridge.on_trial_result(0, [], self.trial, result)
        return result


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(small_sweep(tmp_path))


def test_a_pack_from_start_to_end(scene: Scene) -> None:
    first, second = configs(scene.sweep)
    scene.bridge.on_trial_start(0, [], scene.trial)
    scene.bridge.on_trial_start(0, [], scene.trial)  # again, after a failure
    scene.result(2)
    assert scene.progress.iterations == 4
    kept = scene.result(4, {trial: (made_up(4, False), None) for trial in (first, second)})
    assert "payload" not in kept, "Tune need not keep it"
    assert scene.ledger.settled == {}
    scene.result(8, {trial: (made_up(8, True), None) for trial in (first, second)})
    assert {trial: dict(s.metrics)["fid"] for trial, s in scene.ledger.settled.items()} == {
        first: 9.0,
        second: 9.0,
    }
    scene.recorder.close(interrupted=False)
    assert {t.status for t in stored(scene.sweep).values()} == {"finished"}
    assert stored(scene.sweep)[first].params["objective.lam"] == 1.0


def test_a_diverged_trial_is_settled_once_while_its_neighbours_go_on(scene: Scene) -> None:
    first, second = configs(scene.sweep)
    scene.bridge.on_trial_start(0, [], scene.trial)
    gone = made_up(4, False, diverged="diverged: not finite")
    scene.result(4, {first: (gone, None), second: (made_up(4, False), None)})
    assert scene.ledger.settled == {first: Settled({}, "diverged: not finite")}
    scene.result(8, {first: (gone, None), second: (made_up(8, True), None)})
    scene.recorder.close(interrupted=False)
    assert {i: t.status for i, t in stored(scene.sweep).items()} == {first: "failed", second: "finished"}
    assert scene.heard.getvalue().count("diverged") == 1


def test_a_stop_reaches_the_run(scene: Scene) -> None:
    first, second = configs(scene.sweep)
    stop = Stop(4, "abc", "no goal improved in 1 evaluation")
    scene.bridge.on_trial_start(0, [], scene.trial)
    scene.result(4, {first: (made_up(4, True), stop), second: (made_up(4, False), None)})
    assert set(scene.ledger.settled) == {first}
    scene.recorder.close(interrupted=True)
    found = stored(scene.sweep)
    assert found[first].stopped == stop
    assert (found[first].status, found[second].status, found[second].stopped) == ("finished", "killed", None)


def test_a_pack_that_dies_fails_what_is_not_over(scene: Scene) -> None:
    first, second = configs(scene.sweep)
    scene.bridge.on_trial_start(0, [], scene.trial)
    scene.result(8, {first: (made_up(8, True), None)})
    scene.trial.died(RuntimeError("CUDA says\n  out of memory\n"))
    scene.bridge.on_trial_error(0, [], scene.trial)
    scene.recorder.close(interrupted=False)
    found = stored(scene.sweep)
    assert (found[first].status, found[second].status) == ("finished", "failed")
    assert found[second].reason == "RuntimeError: out of memory"
    assert scene.ledger.settled[second] == Settled({}, "RuntimeError: out of memory")
    assert "1 trial failed" in scene.heard.getvalue()


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (None, "its process was killed or crashed, perhaps for want of memory; see Ray's logs"),
        (ValueError(""), "ValueError"),
        (MemoryError(), "MemoryError: there was none left"),
        (OSError("x" * 1900), "OSError: " + "x" * 991),
    ],
)
def test_a_pack_whose_process_never_came_up_is_told_too(
    scene: Scene, error: Exception | None, reason: str
) -> None:
    if error is not None:
        scene.trial.died(error)
    scene.bridge.on_trial_error(0, [], scene.trial)
    scene.recorder.close(interrupted=False)
    assert {(t.status, t.reason) for t in stored(scene.sweep).values()} == {("failed", reason)}


def test_the_last_death_counts_also_where_there_are_words_only(scene: Scene) -> None:
    scene.bridge.on_trial_start(0, [], scene.trial)
    scene.trial.died(OSError("no space left"))
    scene.bridge.on_trial_recover(0, [], scene.trial)
    scene.trial.died(
        RuntimeError("1 worker(s) were killed due to the node running low on memory."), pickled=False
    )
    scene.bridge.on_trial_error(0, [], scene.trial)
    scene.recorder.close(interrupted=False)
    assert "note: a pack of 2 starts again: OSError: no space left" in scene.heard.getvalue()
    assert {t.reason for t in stored(scene.sweep).values()} == {
        "its process was killed: its node ran out of memory; lower resources.pack, or run fewer packs at once"
    }


def test_tune_may_pickle_it_and_finds_nothing(scene: Scene) -> None:
    assert scene.bridge.__getstate__() == {}
    pickle.dumps(scene.bridge)
    scene.recorder.close(interrupted=True)
