"""Runs that come whole from elsewhere, into a file and over a wire that loses answers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from explorer.errors import UserError
from explorer.results.store import ResultStore
from explorer.results.whole import WholeSweep
from explorer.store import schema
from explorer.store.schema import (
    DELETED,
    LAYOUT,
    LAYOUT_NOW,
    LEASE,
    REASON,
    REVISION,
    SWEEP,
    TRIAL,
    parent_tags,
)
from explorer.store.whole import Point, WholeRun
from explorer.tracking import Intake, Lease
from tests.stores import empty_store

PARENT = WholeRun("demo", "finished", 1000, 2000, parent_tags({"fid": "min"}, "told"))
POINTS = tuple(Point(step, 1000 + step, math.nan if step == 3 else 1 / (step + 1)) for step in range(1100))
RUN = WholeRun(
    "one",
    "failed",
    1500,
    1800,
    {LAYOUT: LAYOUT_NOW, REASON: "no luck", **{f"tag{i}": "x" * 4000 for i in range(101)}},
    {f"p{i}": f'"{i}"' for i in range(120)},
    {"fid": POINTS, "big": (Point(0, 5, 1.7976931348623157e308),)},
)


@contextmanager
def taking(uri: str, origin: str = "here", parent: WholeRun = PARENT) -> Iterator[Intake]:
    with Lease(uri, "tests", "demo") as lease:
        intake = Intake(uri, "tests", "demo", origin, lease)
        intake.open(parent)
        try:
            yield intake
        finally:
            intake.close(parent)


def came(uri: str, tmp_path: Path) -> Any:
    sweep = WholeSweep(ResultStore(uri, "tests"), "demo")
    ((trial, run_id),) = sweep.trials
    run = sweep.run(run_id)
    return (
        trial,
        run.status,
        run.started,
        run.ended,
        run.tags | {"mlflow.runName": ""},
        run.params,
        repr(run.histories),
    )


EXPECTED = (
    "a" * 12,
    "failed",
    1500,
    1800,
    {**RUN.tags, "tradeoff.kind": "trial", "tradeoff.trial": "a" * 12, "mlflow.runName": ""},
    dict(RUN.params),
    repr({"big": RUN.histories["big"], "fid": POINTS}),
)


def test_a_large_run_is_whole_and_there_once(tmp_path: Path) -> None:
    uri = empty_store(tmp_path)
    (tmp_path / "files" / "inner").mkdir(parents=True)
    (tmp_path / "files" / "inner" / "x").write_text("x")
    with taking(uri) as intake:
        assert "a" * 12 not in intake
        intake.take("a" * 12, RUN, "d1", tmp_path / "files")
        assert intake.has("a" * 12, "d1")
        assert not intake.has("a" * 12, "d2")
    assert came(uri, tmp_path) == EXPECTED
    with taking(uri) as intake:
        assert intake.has("a" * 12, "d1")
        assert len(intake) == 1
        intake.take("a" * 12, RUN, "d1")
    assert came(uri, tmp_path) == EXPECTED
    sweep = WholeSweep(ResultStore(uri), "demo")
    assert sweep.files(sweep.trials[0][1]) == ["inner/x"]
    assert [(info.status, info.trials, info.description) for info in ResultStore(uri).sweeps()] == [
        ("finished", 1, "told")
    ]


def test_a_sweep_of_another_origin_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    uri = empty_store(tmp_path)
    with taking(uri):
        pass
    with pytest.raises(UserError, match="did not come from here"), taking(uri, "elsewhere"):
        pass
    assert ResultStore(uri).sweeps()[0].status == "finished"


def test_other_content_takes_the_place_of_what_was_there(tmp_path: Path) -> None:
    uri = empty_store(tmp_path)
    before = WholeRun(
        "a", "killed", 1, 2, {LAYOUT: LAYOUT_NOW}, {}, {"x": (Point(5, 9, 0.5),), "y": (Point(5, 9, 1.0),)}
    )
    with taking(uri) as intake:
        intake.take("a", before, "d1")
        after = WholeRun("a", "finished", 1, 3, before.tags, {"p": "1"}, {"x": (Point(5, 9, 0.25),)})
        intake.take("a", after, "d2")
    (trial,) = ResultStore(uri).table("demo")
    assert (trial.status, trial.metrics, trial.params) == ("finished", {"x": 0.25}, {"p": 1})


def test_parameters_are_added_and_other_values_contradict(tmp_path: Path) -> None:
    with taking(empty_store(tmp_path)) as intake:
        assert not intake.contradicts("a", {"p": "1"})
        intake.take("a", WholeRun("a", "killed", 1, params={"p": "1"}), "d1")
        assert not intake.contradicts("a", {"p": "1", "q": "2"})
        assert not intake.contradicts("a", {})
        assert intake.contradicts("a", {"p": "2", "q": "2"})


def test_tags_of_another_place_are_left_behind(tmp_path: Path) -> None:
    uri = empty_store(tmp_path)
    own = dict.fromkeys((LEASE, schema.PARENT, DELETED, f"{DELETED}.1", SWEEP, TRIAL, REVISION), "theirs")
    made = replace(PARENT, tags={**PARENT.tags, **own, "mine": "x"})
    with taking(uri, parent=made) as intake:
        for digest in ("d1", "d2"):
            intake.take("a", WholeRun("a", "finished", 1, tags={**own, "mine": "x"}), digest)
    store = ResultStore(uri)
    (trial,) = store.table("demo")
    whole, one = store.parent("demo"), store.whole_run(trial.run_id)
    assert trial.id == "a"
    assert (one.tags[schema.PARENT], one.tags[SWEEP], one.tags["mine"]) == (whole.run_id, "demo", "x")
    assert not {LEASE, DELETED, f"{DELETED}.1", REVISION} & set(one.tags)
    assert not {LEASE, DELETED, f"{DELETED}.1", schema.PARENT} & set(whole.tags)
    assert whole.tags["mine"] == "x"


def test_what_mlflow_refuses_is_a_sentence(tmp_path: Path) -> None:
    uri = empty_store(tmp_path)
    with pytest.raises(UserError, match="trial a cannot be written"), taking(uri) as intake:
        intake.take("a", WholeRun("a", "finished", 1, params={"?": "1"}), "d")
    assert {run.status for run in ResultStore(uri).runs("trial", [])} == {"killed"}


def test_over_a_wire_that_loses_answers_it_is_there_once(link: Any, tmp_path: Path) -> None:
    link.lose = ["runs/create", "runs/log-batch", "runs/create", "runs/log-batch", "runs/update"]
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "x").write_text("x")
    with taking(link.uri) as intake:
        intake.take("a" * 12, RUN, "d1", tmp_path / "files")
    assert link.lose == []
    assert came(link.uri, tmp_path) == EXPECTED
    sweep = WholeSweep(ResultStore(link.uri, "tests"), "demo")
    assert sweep.fetch(sweep.trials[0][1], "x", tmp_path).read_text() == "x"
