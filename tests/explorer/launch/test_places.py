"""Places: the sweep's own store and folders win over the defaults; a study belongs to one question."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.launch.places import (
    checkpoint_folder,
    made_checkpoint_folder,
    newest_checkpoint,
    study_of,
    tracking_uri,
)
from explorer.sweep import load_sweep


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    return tmp_path


def test_the_sweep_says_where_its_runs_are_or_the_data_folder_does(home: Path) -> None:
    assert tracking_uri(load_sweep("demo")) == f"sqlite:///{home / 'mlflow.db'}"
    assert tracking_uri(load_sweep("demo", ["tracking.uri=http://somewhere"])) == "http://somewhere"


def test_checkpoints_lie_in_the_data_folder_unless_storage_is_given(home: Path) -> None:
    assert checkpoint_folder(load_sweep("demo")) == home / "checkpoints"
    assert checkpoint_folder(load_sweep("demo", [f"resources.storage={home}/far"])) == home / "far"
    assert checkpoint_folder(load_sweep("demo", ["resources.storage=~/x"])) == Path.home() / "x"


def test_the_newest_checkpoint_is_read_off_the_names(home: Path) -> None:
    assert newest_checkpoint(home, "absent") == 0
    folder = home / "a"
    folder.mkdir()
    for name in ("900.pt", "1000.pt", "note.txt", ".1200.pt.7.partial", "best.pt"):
        (folder / name).touch()
    assert newest_checkpoint(home, "a") == 1000


def name(*assignments: str) -> str:
    return study_of(load_sweep("gaussians-8-search", assignments)).name


def test_a_study_is_of_one_question(home: Path) -> None:
    assert study_of(load_sweep("gaussians-8-search")).file == home / "studies.db"
    asked = name()
    assert asked.startswith("gaussians-8-search-")
    assert name("resources.cpus=2", "search.trials=99", "evaluation.every=7", "description=other") == asked
    others = [
        name("training.iterations=7"),
        name("seeds=5"),
        name("search.objectives={fid: min}"),
        name("space={objective.lam: {log_range: [0.5, 2]}}"),
        name("search.name=tpe"),
        name("name=other"),
    ]
    assert len({asked, *others}) == 7


def test_a_folder_for_checkpoints_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("where a folder should be")
    sweep = load_sweep("demo", [f"resources.storage={tmp_path / 'file' / 'inside'}"])
    with pytest.raises(
        UserError, match=r"checkpoints cannot be kept in '.*inside' \(Not a directory\); set resources"
    ):
        made_checkpoint_folder(sweep)
    kept = load_sweep("demo", [f"resources.storage={tmp_path / 'a' / 'b'}"])
    assert made_checkpoint_folder(kept) == tmp_path / "a" / "b"
    assert (tmp_path / "a" / "b").is_dir()
