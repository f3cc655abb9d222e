"""What runs say of themselves after they came: links, pictures and numbers of the store where they are now."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
from pathlib import Path

import pytest

from explorer.pareto import Front
from explorer.portrait.descriptions import artifact_link
from explorer.results.store import ResultStore
from explorer.results.whole import WholeSweep
from explorer.store.connection import Connection
from explorer.store.runs import StoredRun
from explorer.store.schema import COMMAND, FRONT_FILE, NOTE, PLAIN, THUMB_FILE
from explorer.tracking import Intake, Summary, Tracker
from explorer.transfer import export_sweep, import_address
from explorer.transfer.arrival import import_archive
from explorer.transfer.portrayal import Portrayal
from tests.explorer.transfer.made import whole
from tests.stores import empty_store

GOALS = {"precision": "max", "recall": "max"}
FETCH = "mlflow artifacts download -r {this-run} -a repeat.yaml"
MERGED = "MLFLOW_TRACKING_URI={uri} " + FETCH


def told_store(folder: Path, trials: int = 3) -> str:
    """A sweep whose runs say of themselves what those of a launch do, its summary older than its last trial."""
    uri = empty_store(folder)
    tracker = Tracker(uri, "rings")
    tracker.open_sweep("ring", GOALS, "three λ", "name: ring\n", "{}")
    for number in range(trials):
        trial = f"{number:012x}"
        tracker.start([(trial, {"objective.lam": float(number)})])
        command = MERGED.replace("{uri}", uri)
        tracker.note(trial, {COMMAND: command, NOTE: f"![samples]({artifact_link(THUMB_FILE)}) `{command}`"})
        tracker.log(trial, 1, {"precision": 0.2 + 0.1 * number, "recall": 0.9 - 0.2 * number})
        tracker.finish(trial)
    old = {"hypervolume": 0.25, "obrs/2/hypervolume": 0.5, "best/recall": 0.1, "trials_finished": 1.0}
    tracker.summarise(Summary(1, old, {NOTE: "of before", COMMAND: FETCH}, {FRONT_FILE: b"a picture"}))
    tracker.close_sweep(interrupted=False)
    return uri


def parent_of(uri: str, name: str) -> StoredRun:
    """The sweep's own run with all that the store has of it."""
    return Connection(uri).run(ResultStore(uri).parent(name).run_id)


def linked(note: str) -> set[str]:
    """Runs that a description names."""
    return set(re.findall(r"(?:run_uuid=|/runs/)([0-9a-f]{32})", note))


def test_links_pictures_and_commands_are_those_of_the_new_store_and_archives_stay_equal(
    tmp_path: Path,
) -> None:
    here, there = told_store(tmp_path / "here"), empty_store(tmp_path / "there")
    file = export_sweep(ResultStore(here), "ring", tmp_path / "ring.zip").file
    import_archive(file, there)
    connection, sweep = Connection(there), WholeSweep(ResultStore(there), "ring")
    for _, run_id in sweep.trials:
        tags = connection.run(run_id).tags
        assert tags[COMMAND] == MERGED.replace("{uri}", there).replace("{this-run}", run_id)
        assert linked(tags[NOTE]) == {run_id}
        assert tags[COMMAND] in tags[NOTE]

    parent = parent_of(there, "ring")
    assert linked(parent.tags[NOTE]) == {parent.run_id, *(run for _, run in sweep.trials)}
    assert f"#/experiments/{parent.experiment_id}/runs/" in parent.tags[NOTE]
    assert parent.tags[COMMAND].endswith(f"-r {parent.run_id} -a repeat.yaml")
    assert parent.metrics["hypervolume"] == Front(ResultStore(there).table("ring"), PLAIN).hypervolume
    assert (parent.metrics["front_size"], parent.metrics["trials_finished"]) == (3, 3)
    picture = connection.artifacts(parent.artifact_uri).download_artifacts(FRONT_FILE, str(tmp_path))
    assert Path(picture).read_bytes().startswith(b"\x89PNG")

    again = export_sweep(ResultStore(there), "ring", tmp_path / "again.zip").file
    assert again.read_bytes() == file.read_bytes()
    import_archive(file, there)
    assert parent_of(there, "ring").tags == parent.tags
    assert len(connection.client.get_metric_history(parent.run_id, "hypervolume")) == 1


def test_one_that_grew_is_summed_up_anew(tmp_path: Path) -> None:
    here, there = told_store(tmp_path / "here", 2), empty_store(tmp_path / "there")
    import_address(here, there, sweep="ring")
    assert len(ResultStore(there).table("ring")) == 2, (
        "what is known of it from here on must not be told later"
    )
    tracker = Tracker(here, "rings")
    tracker.open_sweep("ring", GOALS, "three λ", "name: ring\n", "{}")
    tracker.start([("f" * 12, {"objective.lam": 9.0})])
    tracker.log("f" * 12, 1, {"precision": 0.99, "recall": 0.99})
    tracker.finish("f" * 12)
    tracker.close_sweep(interrupted=False)
    assert import_address(here, there, sweep="ring").written == 1
    found = parent_of(there, "ring").metrics
    assert (found["trials_finished"], found["front_size"], found["best/recall"]) == (3, 1, 0.99)


def test_one_that_was_killed_before_it_was_summed_up_is_when_it_comes_again(tmp_path: Path) -> None:
    here, there = told_store(tmp_path / "here"), empty_store(tmp_path / "there")
    process = multiprocessing.get_context("fork").Process(target=_die_before_the_summary, args=(here, there))
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    assert NOTE not in parent_of(there, "ring").tags
    assert import_address(here, there, sweep="ring").written == 0
    assert "front_size" in parent_of(there, "ring").metrics
    assert whole(there) == whole(here)


def _die_before_the_summary(here: str, there: str) -> None:
    def die(self: Intake, summary: Summary) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    Intake.summarise = die  # type: ignore[method-assign]
    import_address(here, there, sweep="ring")


def test_trials_of_others_are_named_by_what_varies_and_described_once(tmp_path: Path) -> None:
    there, file = empty_store(tmp_path), tmp_path / "t.csv"
    file.write_text("objective.lam,lr,precision,recall\n0.5,1,0.5,0.5\n2,1,0.75,0.25\n")
    import_address(str(file), there)
    store, sweep = Connection(there), WholeSweep(ResultStore(there), "t")
    runs = [store.run(run_id) for _, run_id in sweep.trials]
    assert [run.tags["mlflow.runName"] for run in runs] == ["lam 0.5", "lam 2"]
    assert runs[0].tags[NOTE] == "**lam 0.5**\n\n- objective: **λ 0.5**\n- lr: lr 1"
    parent = parent_of(there, "t")
    assert (parent.metrics["front_size"], parent.metrics["trials_finished"]) == (2, 2)
    assert linked(parent.tags[NOTE]) == {parent.run_id, *(run.run_id for run in runs)}

    file.write_text(file.read_text() + "2,3,0.9,0.1\n")
    assert import_address(str(file), there).written == 1, "a row more is no news of the others"
    assert parent_of(there, "t").metrics["trials_finished"] == 3


def test_a_name_that_somebody_gave_stays(tmp_path: Path) -> None:
    there, file = empty_store(tmp_path), tmp_path / "t.csv"
    file.write_text("id,lr,precision,recall\nmine,1,0.5,0.5\nyours,2,0.75,0.25\n")
    import_address(str(file), there)
    sweep = WholeSweep(ResultStore(there), "t")
    assert [sweep.run(run).name for _, run in sweep.trials] == ["mine", "yours"]


@pytest.mark.parametrize("pictured", [True, False])
def test_a_picture_is_shown_where_there_is_one(pictured: bool) -> None:
    note = Portrayal([{"lam": 1}, {"lam": 2}]).note("narrow", {"lam": 1}, pictured)
    assert (artifact_link(THUMB_FILE) in note) is pictured
    assert "trained once more" not in note
