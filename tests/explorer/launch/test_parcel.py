"""What is sent to a cluster: the whole sweep, its own modules, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.launch.parcel import SWEEP_FILE, pack, sent_variables, where_runs_go
from explorer.sweep import load_sweep

MEMBER = """
from dataclasses import dataclass
from trainables.objectives.hinge import Hinge

@dataclass(frozen=True)
class Sent(Hinge):
    name = "{name}"
"""


def written(folder: Path) -> Path:
    """A sweep with a module in a subfolder, a package, and much beside them that is nobody else's."""
    (folder / "lib").mkdir()
    (folder / "lib" / "sent_file.py").write_text(MEMBER.format(name="sent_file"))
    (folder / "sent_package").mkdir()
    (folder / "sent_package" / "__init__.py").write_text(MEMBER.format(name="sent_package"))
    (folder / "sent_package" / "table.csv").write_text("1,2\n")
    (folder / "sent_package" / ".gitignore").write_text("*.csv\n")
    (folder / "sent_package" / "__pycache__").mkdir()
    (folder / "private.key").write_text("secret")
    file = folder / "mine.yaml"
    file.write_text(
        "plugins: [lib/sent_file.py, sent_package]\nspace: {objective.name: [sent_file, sent_package, hinge]}\n"
    )
    return file


def test_the_same_trials_are_read_from_what_is_sent(tmp_path: Path) -> None:
    sweep = load_sweep(written(tmp_path), ["training.iterations=7"], seeds=2)
    target = tmp_path / "target"
    target.mkdir()
    pack(sweep, target)
    files = {str(path.relative_to(target)) for path in target.rglob("*") if path.is_file()}
    assert files == {SWEEP_FILE, "sent_file.py", "sent_package/__init__.py", "sent_package/table.csv"}
    again = load_sweep(target / SWEEP_FILE)
    assert (again.name, again.seeds) == ("mine", (0, 1))
    for point in sweep.search.probes(sweep.space):
        ours, theirs = sweep.repeats(point), again.repeats(point)
        assert [trial.identity() for trial in ours] == [trial.identity() for trial in theirs]
        assert theirs[0].training.iterations == 7


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (["resources.storage=checkpoints"], "resources.storage of a sweep that is submitted must be an absolute path"),
        (["tracking.uri=sqlite:///runs.db"], "tracking.uri of a sweep that is submitted must name an absolute path"),
    ],
)  # fmt: skip
def test_places_in_the_folder_of_the_job_are_refused(changes: list[str], said: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=said):
        pack(load_sweep("demo", changes), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_variables_are_sent_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_REGION", "here")
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    assert sent_variables(["AWS_REGION", "A=b=c", "EMPTY="]) == {
        "AWS_REGION": "here",
        "A": "b=c",
        "EMPTY": "",
    }
    with pytest.raises(UserError, match="MLFLOW_TRACKING_URI has here, but it is not set; write --env"):
        sent_variables(["MLFLOW_TRACKING_URI"])
    with pytest.raises(UserError, match="--env takes NAME or NAME=VALUE, got '2'"):
        sent_variables(["2=3"])


def test_runs_that_end_in_a_file_of_the_head_are_told() -> None:
    sweep = load_sweep("demo")
    assert "names no tracking store" in str(where_runs_go(sweep, {}))
    assert where_runs_go(sweep, {"MLFLOW_TRACKING_URI": "http://mlflow:5000"}) is None
    kept = load_sweep("demo", ["tracking.uri=sqlite:////shared/runs.db"])
    assert (
        where_runs_go(kept, {}) == "the tracking store sqlite:////shared/runs.db is a file on the head node"
    )


def test_a_password_is_not_sent_where_the_dashboard_shows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "postgresql+psycopg2://me:topsecret@host/runs"
    monkeypatch.setenv("MLFLOW_TRACKING_URI", secret)
    for asked in ("MLFLOW_TRACKING_URI", f"MLFLOW_TRACKING_URI={secret}"):
        with pytest.raises(
            UserError, match="--env MLFLOW_TRACKING_URI must be an address without a password"
        ) as told:
            sent_variables([asked])
        assert "topsecret" not in str(told.value)
    assert sent_variables(["MLFLOW_TRACKING_URI=http://host"]) == {"MLFLOW_TRACKING_URI": "http://host"}
