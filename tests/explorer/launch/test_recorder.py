"""Evaluations become runs in a thread of its own: numbers under their keys, files, endings; faults are raised."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from PIL import Image

from explorer.errors import UserError
from explorer.launch.earlier import wanted_marks
from explorer.launch.recorder import files_of, metrics_of
from explorer.results.store import ResultStore
from explorer.store.schema import LOGGED_MODELS, PLAIN, At
from explorer.store.stop import Stop
from tests.explorer.launch.small import configs, made_up, small_sweep, stored, tracker
from tests.explorer.launch.small import recorder as made_recorder
from trainables.evaluation.findings import Findings, Side, Witnesses
from trainables.evaluation.reading import Evaluation, Reading


def test_every_number_of_an_evaluation_has_its_key() -> None:
    found = metrics_of(made_up(8, final=True, budgets=(1.5, 2.0)))
    assert found["precision"] == 0.5
    assert found["acceptance"] == 1.0
    assert found["critic_loss"] == 0.1
    assert found["obrs/1.5/acceptance"] == pytest.approx(1 / 1.5)
    assert (found["obrs/2/draws"], found["obrs/2/scores"], found["obrs/2/gradients"]) == (2.0, 2.0, 0.0)
    assert {"obrs/2/precision", "obrs/1.5/fid"} <= set(found)
    assert not any(key.startswith(("K", "none")) for key in found)
    assert set(metrics_of(made_up(4, final=False))) == {
        "precision",
        "recall",
        "fid",
        "acceptance",
        "critic_loss",
    }


def test_a_description_has_a_picture_where_there_is_one(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path)
    flat, deep = configs(sweep)
    keeper = made_recorder(sweep)
    keeper.start([(trial, {}) for trial in (flat, deep)])
    over = made_up(8, final=True)
    points = np.zeros((5, 5))
    beyond = replace(over, real=points, readings=tuple(replace(r, samples=points) for r in over.readings))
    for trial, found in ((flat, over), (deep, beyond)):
        keeper.record(trial, found, pictured={"mlflow.note.content": "with a picture"})
    keeper.close(interrupted=False)
    store = ResultStore(sweep.tracking.uri or "")
    notes = {t.id: store.tag(t.run_id, "mlflow.note.content") for t in stored(sweep).values()}
    assert notes == {flat: "with a picture", deep: ""}


def test_the_numbers_that_matter_come_first() -> None:
    assert list(metrics_of(made_up(4, final=False)))[:3] == ["precision", "recall", "fid"]
    assert list(metrics_of(made_up(8, final=True)))[-1] == "critic_loss"


def test_files_of_points_are_picture_numbers_and_curve() -> None:
    files = files_of(made_up(8, final=True))
    assert set(files) == {"curve.json", "samples.json", "samples.png"}
    samples = json.loads(files["samples.json"])
    assert [(r["method"], r["budget"]) for r in samples["readings"]] == [("none", 1.0), ("obrs", 2.0)]
    assert np.shape(samples["real"]) == np.shape(samples["readings"][0]["points"]) == (5, 2)
    assert json.loads(files["curve.json"])["source"] == "exact"


def test_images_are_kept_as_a_picture_and_other_shapes_not_at_all() -> None:
    def of(shape: tuple[int, ...]) -> set[str]:
        points = np.zeros(shape, np.uint8)
        return set(files_of(Evaluation(8, True, (Reading(*PLAIN, {}, samples=points),), real=points)))

    assert of((4, 1, 8, 8)) == {"curve.json", "samples.png"}
    assert of((4, 2, 8, 8)) == {"curve.json"}
    assert of((4, 3)) == {"curve.json"}
    assert set(files_of(Evaluation(8, True))) == {"curve.json"}


def test_images_have_a_panel_for_real_generated_accepted_and_refused_ones() -> None:
    images = np.zeros((64, 1, 8, 8), np.uint8)
    plain = Reading(*PLAIN, {}, samples=images)
    accepted = [Reading("obrs", k, {}, samples=images, rejected=images) for k in (2.0, 4.0)]

    def panels(*readings: Reading) -> int:
        png = files_of(Evaluation(8, True, readings, real=images))["samples.png"]
        sheet = np.asarray(Image.open(io.BytesIO(cast(bytes, png))).convert("L"))
        starts = np.diff((sheet[:, 20] == 0).astype(int))  # the first column of tiles
        across = np.diff((sheet[30] == 0).astype(int))
        return int((starts > 0).sum()) // 8 * int((across > 0).sum()) // 8

    assert panels(plain) == 2
    assert panels(plain, *accepted) == 6, "five, of which two rows of three have room"


def test_refused_points_stand_beside_accepted_ones() -> None:
    evaluation = made_up(8, final=True)
    refused = np.array([[1.23456, -2.0]])
    plain, accepted = (replace(one, rejected=refused) for one in evaluation.readings)
    samples = json.loads(files_of(replace(evaluation, readings=(plain, accepted)))["samples.json"])
    assert "refused" not in samples["readings"][0], "at K = 1 nothing is refused"
    assert samples["readings"][1]["refused"] == [[1.2346, -2.0]]
    assert "refused" not in json.loads(files_of(evaluation)["samples.json"])["readings"][1]


def test_what_explains_a_trial_is_stored_and_what_failed_is_told(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path)
    first, second = configs(sweep)
    told: list[str] = []
    recorder = made_recorder(sweep, told.append)
    recorder.start([(first, {}), (second, {})])
    side = Side(0.5, np.array([2.0]), np.array([[1.0, 2.0]]))
    found = Findings(Witnesses(side, side, "identity", 3))
    recorder.record(first, replace(made_up(8, final=True), findings=found))
    recorder.record(second, replace(made_up(8, final=True), findings=Findings(left_out=("no curves",))))
    recorder.close(interrupted=False)
    trials, store = stored(sweep), ResultStore(sweep.tracking.uri or "")
    assert {trial.status for trial in trials.values()} == {"finished"}
    assert (store.artifact_json(trials[first].run_id, "witnesses.json") or {})["k"] == 3
    assert store.artifact_bytes(trials[first].run_id, "thumb.png")
    assert store.artifact_bytes(trials[second].run_id, "thumb.png")
    assert store.artifact_bytes(trials[second].run_id, "witnesses.json") is None
    assert told == [f"trial {second}: no curves"]


def test_a_trial_from_start_to_end(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path)
    first, second = configs(sweep)
    recorder = made_recorder(sweep)
    recorder.start([(trial, config.params()) for trial, config in configs(sweep).items()])
    recorder.record(first, made_up(4, final=False))
    recorder.record(first, made_up(8, final=True))
    recorder.record(second, made_up(4, final=False, diverged="diverged: not finite"))
    recorder.close(interrupted=False)
    found = stored(sweep)
    one = found[first]
    assert (one.status, one.stopped, dict(one.marks)) == ("finished", None, wanted_marks(sweep))
    assert one.readings[At("obrs", 2.0)]["acceptance"] == 0.5
    assert (found[second].status, found[second].reason) == ("failed", "diverged: not finite")
    assert found[second].outcome == "diverged"
    store = ResultStore(sweep.tracking.uri or "")
    assert store.history(one.run_id, "fid") == [(4, 5.0), (8, 9.0)]
    assert store.artifact_bytes(one.run_id, "samples.png")
    (info,) = store.sweeps()
    assert info.status == "finished"


def test_every_reading_has_its_panel_also_where_two_methods_share_a_budget() -> None:
    evaluation = made_up(8, final=True)
    other = replace(evaluation.readings[1], method="other")
    both = replace(evaluation, readings=(*evaluation.readings, other))
    widths = [
        Image.open(io.BytesIO(cast(bytes, files_of(e)["samples.png"]))).width for e in (evaluation, both)
    ]
    assert widths == [2 * 320, 3 * 320]


def test_marks_come_with_the_final_evaluation_only(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path)
    first, _ = configs(sweep)
    recorder = made_recorder(sweep)
    recorder.start([(first, {})])
    recorder.record(first, made_up(4, final=False))
    recorder.close(interrupted=True)
    assert (stored(sweep)[first].status, stored(sweep)[first].marks) == ("killed", {})


def test_a_trial_that_was_stopped_carries_why(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path)
    first, second = configs(sweep)
    recorder = made_recorder(sweep)
    recorder.start([(first, {}), (second, {})])
    stop = Stop(4, "abc", "no goal improved")
    recorder.record(first, made_up(4, final=True), stop)
    recorder.fail(second, "its pack died", "process")
    recorder.close(interrupted=False)
    found = stored(sweep)
    assert (found[first].status, found[first].stopped) == ("finished", stop)
    assert (found[second].status, found[second].reason) == ("failed", "its pack died")


def test_a_fault_of_the_thread_is_raised_at_the_next_call_and_at_the_end(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path)
    recorder = made_recorder(sweep)
    recorder.record("unheard", made_up(4, final=False))
    with pytest.raises(KeyError, match="start it first"):
        recorder.close(interrupted=False)
    with pytest.raises(KeyError, match="start it first"):
        recorder.start([])


def test_a_disk_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path)
    first, _ = configs(sweep)
    opened = tracker(sweep)
    recorder = made_recorder(sweep, opened=opened)
    recorder.start([(first, {})])
    (tmp_path / "artifacts").rename(tmp_path / "moved")
    (tmp_path / "artifacts").write_text("in the way")
    recorder.record(first, made_up(8, final=True))
    with pytest.raises(UserError, match=r"tracking store .* fails \(Not a directory\); make room or mend it"):
        recorder.close(interrupted=False)


DESCRIPTION = {
    "flavors": {"python_function": {"loader_module": "tradeoff_0"}},
    "mlflow_version": "3.17.2",
    "model_uuid": "ab" * 16,
    "utc_time_created": "2026-01-31 12:00:00.000000",
}


def test_a_model_is_stored_with_the_run_and_what_is_left_out_is_told(tmp_path: Path) -> None:
    sweep, told = small_sweep(tmp_path), list[str]()
    kept, bare = configs(sweep)

    def models(trial: str, evaluation: Evaluation) -> tuple[dict[str, bytes], list[str]]:
        files = {"model/MLmodel": json.dumps(DESCRIPTION).encode()}
        return (files, []) if trial == kept else ({}, ["its model is left out (too bad)"])

    recorder = made_recorder(sweep, told.append, models=models)
    for trial in (kept, bare):
        recorder.start([(trial, configs(sweep)[trial].params())])
        recorder.record(trial, made_up(8, final=True))
    recorder.close(interrupted=False)
    store = ResultStore(sweep.tracking.uri or "")
    runs = {trial: store.whole_run(found.run_id) for trial, found in stored(sweep).items()}
    places = {trial: store.connection().artifacts(run.artifact_uri) for trial, run in runs.items()}
    names = {trial: {file.path for file in place.list_artifacts()} for trial, place in places.items()}
    assert names[kept] - names[bare] == {"model"}
    assert {"samples.npz", "readings.json"} <= names[bare]
    assert [file.path for file in places[kept].list_artifacts("model")] == ["model/MLmodel"]
    assert told == [f"trial {bare}: its model is left out (too bad)"]
    (said,) = json.loads(runs[kept].tags[LOGGED_MODELS])  # MLflow's pages link to it
    assert said == {**DESCRIPTION, "artifact_path": "model", "run_id": runs[kept].run_id}
    assert LOGGED_MODELS not in runs[bare].tags
