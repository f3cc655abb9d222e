"""An archive as it is written: at its place whole, or not at all; each content once."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.store.whole import WholeRun
from explorer.transfer.archive import MANIFEST, check_target, writing
from explorer.transfer.archive_lines import ArchivedRun


def test_equal_contents_are_stored_once(made: Path) -> None:
    with zipfile.ZipFile(made) as opened:
        names = opened.namelist()
        assert sum(name.endswith("same.txt") for name in names) == 1
        assert sum(name.endswith("thumb.png") for name in names) == 1
        assert sum(name.endswith("curve.json") for name in names) == 4
        assert "artifacts/0/sweep.yaml" in names
        assert "artifacts/1-000000000001/model/data/weights.safetensors" in names
        manifest = json.loads(opened.read(MANIFEST))
        assert {info.date_time for info in opened.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert (manifest["sweep"], manifest["experiment"], manifest["runs"]) == ("ring", "rings", 7)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), UserError("told")])
def test_what_does_not_end_well_leaves_what_was_there(tmp_path: Path, error: BaseException) -> None:
    file = tmp_path / "a.zip"
    file.write_bytes(b"before")

    def cut_off() -> None:
        with writing(file, "a", "b", True) as archive:
            archive.add_run(ArchivedRun(None, WholeRun("", "finished", 0)))
            raise error

    with pytest.raises(type(error)):
        cut_off()
    assert file.read_bytes() == b"before"
    assert [one.name for one in tmp_path.iterdir()] == ["a.zip"]


def test_a_place_where_no_archive_can_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.zip").mkdir()
    for place, sentence in {
        "mlflow.db": "must be a file that ends in .zip",
        "folder.zip": "must be a file, and",
        "none/a.zip": "there is no folder",
        "a\0.zip": "cannot be written",
        f"{'x' * 300}.zip": "cannot be written",
    }.items():
        with pytest.raises(UserError, match=sentence):
            check_target(tmp_path / place)
