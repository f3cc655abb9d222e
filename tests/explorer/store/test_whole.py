"""A run as it goes from one store to another."""

from __future__ import annotations

import pytest

from explorer.store.schema import (
    DELETED,
    FILES,
    FRONT_FILE,
    IMPORTED,
    LEASE,
    LOGGED_MODELS,
    NOTE,
    PARENT,
    REVISION,
    SWEEP,
    encode_files,
)
from explorer.store.whole import Point, WholeRun, travelling, with_files, without_summary


def test_one_that_ran_is_over_at_the_last_time_that_it_tells() -> None:
    run = WholeRun(
        "a", "running", 5, histories={"x": (Point(1, 7, 0.5), Point(2, 9, 0.5)), "y": (Point(1, 8, 0.0),)}
    )
    assert (run.over.status, run.over.ended) == ("killed", 9)
    assert WholeRun("a", "running", 5).over.ended == 5


@pytest.mark.parametrize("status", ["finished", "failed", "killed"])
def test_one_that_is_over_stays_as_it_is(status: str) -> None:
    run = WholeRun("a", status, 5, 6)  # type: ignore[arg-type]
    assert run.over is run


def test_tags_of_a_place_do_not_travel() -> None:
    own = dict.fromkeys((LEASE, PARENT, IMPORTED, REVISION, SWEEP, DELETED, f"{DELETED}.1"), "x")
    assert travelling({**own, "mine": "x", NOTE: "y"}) == {"mine": "x", NOTE: "y"}


def test_what_is_made_of_trials_stays_behind_and_all_else_goes() -> None:
    one = (Point(0, 1, 0.5),)
    files = {FRONT_FILE: "a", "report.html": "b"}
    run = WholeRun(
        "ring",
        "finished",
        1,
        tags={NOTE: "links", FILES: encode_files(files), "mine": "x"},
        histories={"hypervolume": one, "obrs/2/front_size": one, "best/fid": one, "price": one},
    )
    left = without_summary(run)
    assert left.tags == {FILES: encode_files({"report.html": "b"}), "mine": "x"}
    assert left.histories == {"price": one}


def test_a_run_tells_of_the_files_that_are_with_it() -> None:
    files = {"front.png": "a", "report.html": "b"}
    run = WholeRun("a", "killed", 1, tags={FILES: encode_files(files), "mine": "x"})
    assert with_files(run, files) is run
    assert with_files(run, ["report.html"]).tags == {FILES: encode_files({"report.html": "b"}), "mine": "x"}
    assert with_files(run, []).tags == {"mine": "x"}


def test_one_whose_model_stays_behind_claims_none() -> None:
    run = WholeRun("a", "finished", 1, 2, tags={LOGGED_MODELS: "[]", "mine": "x"})
    assert with_files(run, ["report.html"]).tags == {"mine": "x"}
    assert with_files(run, ["model/MLmodel"]) is run
