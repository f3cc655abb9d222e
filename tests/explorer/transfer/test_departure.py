"""A sweep that is written into an archive."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.results.store import ResultStore
from explorer.store.schema import FILES
from explorer.transfer import export_sweep
from explorer.transfer.archive_reading import opened_archive


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
        lines = list(checked.lines())
    assert [line.trial for line in lines][:2] == [None, "000000000001"]
    assert not any(FILES in line.run.tags for line in lines if line.trial)


def test_a_sweep_that_is_not_there_leaves_nothing(uri: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no sweep 'rang'.*ring"):
        export_sweep(ResultStore(uri), "rang", tmp_path / "x.zip")
    assert not list(tmp_path.iterdir())
