"""A sweep that is written into an archive."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from explorer.deletion import planned, undo
from explorer.errors import UserError
from explorer.results.store import ResultStore
from explorer.store.deletion_mark import mark_of
from explorer.store.schema import FILES
from explorer.tracking.trash import Trash
from explorer.transfer import export_sweep
from explorer.transfer.archive_reading import opened_archive
from explorer.transfer.arrival import import_archive
from tests.explorer.transfer.made import made_store
from tests.stores import empty_store


def test_it_can_go_without_its_artifacts(uri: str, tmp_path: Path) -> None:
    told: list[str] = []
    left = export_sweep(ResultStore(uri), "ring", tmp_path / "ring.zip", artifacts=False, stage=told.append)
    assert (left.trials, left.notes) == (6, ())
    assert left.sentence().startswith("sweep ring, 6 trials, written to ")
    assert told[-1] == "trial 6 of 6, 0.0 MB of files"
    with zipfile.ZipFile(left.file) as archive:
        names = [name for name in archive.namelist() if name.startswith("artifacts/")]
    assert names == ["artifacts/0/catalogue.json", "artifacts/0/sweep.yaml"]
    with opened_archive(left.file) as checked:
        runs = list(checked.lines())
    assert [run.trial for run in runs][:2] == [None, "000000000001"]
    assert not any(FILES in run.run.tags for run in runs), "whoever goes on with it sends them again"


def test_one_whose_deletion_was_interrupted_is_whole_where_it_comes_to(tmp_path: Path) -> None:
    here, there = made_store(tmp_path / "here"), empty_store(tmp_path / "there")
    plan = planned(here, "ring")
    Trash(here).mark(plan.run_id, mark_of([f"{number:032x}" for number in range(101)]))
    import_archive(export_sweep(ResultStore(here), "ring", tmp_path / "ring.zip").file, there)
    assert not planned(there, "ring").begun
    with pytest.raises(UserError, match="in MLflow's trash"):
        undo(there, "ring")


def test_a_sweep_that_is_not_there_leaves_nothing(uri: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no sweep 'rang'.*ring"):
        export_sweep(ResultStore(uri), "rang", tmp_path / "x.zip")
    assert not list(tmp_path.iterdir())
