"""What is found of a stored trial goes to its run: beside what the sweep read, for every reader, and for good."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mlflow import MlflowClient
from rich.console import Console

from explorer.errors import UserError
from explorer.launch.earlier import earlier_trials
from explorer.launch.plan import make_plan
from explorer.launch.run import run_sweep
from explorer.refining.kept import keep_refined, refined_file
from explorer.refining.refined import Refined, refined
from explorer.refining.trial_subject import trial_subject
from explorer.refining.wish import Wish
from explorer.results.cache import Memory
from explorer.results.store import ResultStore
from explorer.results.table import Trial
from explorer.store.schema import PLAIN, REVISION, At
from explorer.sweep import load_sweep
from tests.explorer.refining.own_store import copied
from tests.explorer.refining.stored_trials import LAM, RING, table_of, trial_of

GAN: dict[str, object] = {"objective.name": "gan"}
PR: dict[str, object] = {"objective.name": "pr", LAM: 1, "training.generator_lr": 0.001}
HINGE: dict[str, object] = {"objective.name": "hinge"}
TV: dict[str, object] = {"objective.name": "tv"}
COSTS = {"acceptance", "draws", "scores", "gradients"}


@pytest.fixture(scope="module")
def folder(refinable: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("own")
    copied(refinable, found)
    return found


@pytest.fixture(scope="module")
def uri(folder: Path) -> str:
    return f"sqlite:///{folder / 'home' / 'mlflow.db'}"


def found_of(
    uri: str, params: dict[str, object], method: str, budgets: Sequence[float], **wish: Any
) -> Refined:
    table, trial = table_of(uri, RING), trial_of(uri, RING, **params)
    asked = Wish(method, tuple(budgets), **wish)
    return refined(trial_subject(ResultStore(uri), table, trial, asked), asked.seed)


def kept(
    uri: str, params: dict[str, object], method: str, budgets: Sequence[float], **wish: Any
) -> tuple[Trial, str, Refined, Trial]:
    """The trial before and after, what was told, and what was found."""
    before = trial_of(uri, RING, **params)
    found = found_of(uri, params, method, budgets, **wish)
    told = keep_refined(uri, before, found)
    return before, told, found, trial_of(uri, RING, **params)


def document(uri: str, trial: Trial, method: str, folder: Path) -> dict[str, Any]:
    file = ResultStore(uri).fetched(trial.run_id, refined_file(method), folder)
    assert file is not None
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"), parse_constant=pytest.fail)
    return found


def test_readings_go_beside_those_of_the_sweep_and_all_of_it_is_a_file(uri: str, tmp_path: Path) -> None:
    before, told, found, after = kept(uri, GAN, "obrs", [1, 2, 3, 4.5])
    assert told == (
        f"logged to run {before.run_id}: refined-obrs.json; 2 readings; those of the sweep at K = 2 stay"
    )
    added = {At("obrs", 3.0): found.readings[2], At("obrs", 4.5): found.readings[3]}
    assert set(after.readings) == set(before.readings) | set(added)
    for at, reading in added.items():
        assert {name: after.at(at)[name] for name in reading.metrics} == reading.metrics
        assert set(after.at(at)) - set(reading.metrics) == COSTS
        assert (
            after.at(at)["acceptance"] == reading.ledger.acceptance == pytest.approx(1 / at.budget, rel=0.2)
        )
        assert after.at(at)["draws"] == after.at(at)["scores"] == reading.ledger.draws / 400
        assert after.at(at)["gradients"] == 0
        assert after.marks[at].startswith("+")
    assert {at: after.at(at) for at in before.readings} == dict(before.readings)
    assert {at: after.marks[at] for at in before.marks} == dict(before.marks)
    assert not any(mark.startswith("+") for mark in before.marks.values())
    assert (after.status, after.ended) == ("finished", before.ended)
    stored = document(uri, after, "obrs", tmp_path)
    assert stored == found.document()
    assert (stored["run"], stored["trial"], stored["sweep"]) == (before.run_id, before.id, RING)


def test_what_a_refinement_found_before_is_replaced(uri: str, tmp_path: Path) -> None:
    _, told, first, once = kept(uri, PR, "drs", [2, 3])
    assert told.endswith(": refined-drs.json; 2 readings")
    _, told, second, twice = kept(uri, PR, "drs", [2], seed=1)
    assert told.endswith(": refined-drs.json; 1 reading")
    at, other = At("drs", 2.0), At("drs", 3.0)
    assert once.at(at)["fid"] == first.readings[1].metrics["fid"]
    assert twice.at(at)["fid"] == second.readings[1].metrics["fid"] != once.at(at)["fid"]
    assert (twice.marks[at] != once.marks[at], twice.marks[other]) == (True, once.marks[other])
    assert twice.at(other) == once.at(other), "at other budgets it stays"
    assert document(uri, twice, "drs", tmp_path)["settings"]["seed"] == 1


def test_who_has_read_the_sweep_sees_the_news(uri: str) -> None:
    store, memory = ResultStore(uri), Memory()
    store.table(RING, known=memory)
    before = store.parent(RING).tags.get(REVISION)
    _, _, _, after = kept(uri, HINGE, "hard_truncation", [2])
    assert store.parent(RING).tags.get(REVISION) not in (None, before)
    (seen,) = [one for one in store.table(RING, known=memory) if one.id == after.id]
    assert seen.at(At("hard_truncation", 2.0)) == after.at(At("hard_truncation", 2.0)) != {}


@pytest.mark.parametrize(
    "wish",
    [{"samples": 300}, {"changes": ("evaluation.k=5",)}, {"changes": ("evaluation.metrics=[frechet]",)}],
    ids=["samples", "neighbours", "metrics"],
)
def test_what_would_not_compare_is_a_file_alone(uri: str, tmp_path: Path, wish: dict[str, Any]) -> None:
    before, told, found, after = kept(uri, TV, "soft_truncation", [1, 1.5], **wish)
    assert told == (
        f"logged to run {before.run_id}: refined-soft_truncation.json; no readings, since its own were measured on "
        "other samples or by other metrics"
    )
    assert (after.readings, after.marks) == (before.readings, before.marks)
    assert document(uri, after, "soft_truncation", tmp_path) == found.document()


def test_intervals_and_repeats_do_not_keep_readings_from_comparing(uri: str) -> None:
    changes = ("evaluation.intervals=false", "evaluation.repeats=3")
    before, told, _, after = kept(uri, TV, "hard_truncation", [1.5], changes=changes)
    assert told.endswith("; 1 reading")
    assert set(after.at(At("hard_truncation", 1.5))) == set(before.at(At("obrs", 2.0)))
    _, _, _, wider = kept(uri, TV, "hard_truncation", [1.5])
    assert set(wider.at(At("hard_truncation", 1.5))) > set(after.at(At("hard_truncation", 1.5)))
    _, _, _, again = kept(uri, TV, "hard_truncation", [1.5], changes=changes)
    assert again.at(At("hard_truncation", 1.5)) == after.at(At("hard_truncation", 1.5)), (
        "no interval is left over"
    )


def test_a_run_that_is_not_finished_takes_nothing(uri: str) -> None:
    found, running = found_of(uri, HINGE, "soft_truncation", [3]), trial_of(uri, RING, **{LAM: 7})
    said = f"^readings are added to a trial that is finished, and run {running.run_id} is running$"
    with pytest.raises(UserError, match=said):
        keep_refined(uri, running, found)
    assert trial_of(uri, RING, **{LAM: 7}) == running
    with pytest.raises(
        UserError, match=rf"^a trial is refined once it is finished, and {running.id} of sweep 'ring'"
    ):
        found_of(uri, {LAM: 7}, "soft_truncation", [3])


def test_a_run_that_is_gone_is_told_in_a_sentence(uri: str, tmp_path: Path) -> None:
    trial, client = trial_of(uri, RING, **HINGE), MlflowClient(uri)
    found = found_of(uri, HINGE, "soft_truncation", [3])
    client.delete_run(trial.run_id)
    with pytest.raises(
        UserError, match=f"^readings are added to a trial that is there, and run {trial.run_id} is del"
    ):
        keep_refined(uri, trial, found)
    client.restore_run(trial.run_id)
    assert At("soft_truncation", 3.0) not in trial_of(uri, RING, **HINGE).readings
    with pytest.raises(UserError, match=r"run 0{32}.* not found"):
        keep_refined(uri, replace(trial, run_id="0" * 32), found)
    with pytest.raises(UserError, match="must be a SQLite file, and there is none"):
        keep_refined(f"sqlite:///{tmp_path / 'moved.db'}", trial, found)


def test_the_sweep_that_runs_again_loses_nothing(
    refinable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uri = copied(refinable, tmp_path)
    MlflowClient(uri).set_terminated(trial_of(uri, RING, **{LAM: 7}).run_id, "FINISHED")
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    kept(uri, GAN, "obrs", [2, 3, 5])
    _, _, found, before = kept(uri, GAN, "hard_truncation", [2])

    def again(*changes: str) -> Trial:
        sweep = load_sweep(str(tmp_path / "ring.yaml"), changes)
        assert make_plan(sweep, earlier_trials(sweep)).iterations == 0, "nothing is trained"
        assert run_sweep(sweep, Console(file=io.StringIO())).iterations == 0
        return trial_of(uri, RING, **GAN)

    assert again() == before
    assert document(uri, before, "hard_truncation", tmp_path) == found.document()
    three, five, cut = At("obrs", 3.0), At("obrs", 5.0), At("hard_truncation", 2.0)
    after = again("refinement.budgets=[1, 2, 3]")
    assert after.marks[three] != before.marks[three], "the sweep reads for itself what it is asked for"
    assert not after.marks[three].startswith("+")
    assert after.at(three)["fid"] != before.at(three)["fid"]
    assert not any(name.endswith((".low", ".high")) for name in after.at(three))
    for at in (PLAIN, At("obrs", 2.0), five, cut):
        assert (after.at(at), after.marks[at]) == (before.at(at), before.marks[at]), at
    assert kept(uri, GAN, "obrs", [3, 5])[1].endswith("; 1 reading; those of the sweep at K = 3 stay")
