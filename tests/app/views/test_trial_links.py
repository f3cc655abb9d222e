"""Ways from a trial: MLflow's pages without passwords, the command that serves them, and who may write."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.views.trial_links import _change, _store_of, may_write, promoted, run_address
from explorer.results.store import ResultStore
from tests.app.made_sweep import MADE, read_table


@pytest.mark.parametrize(
    ("uri", "address"),
    [
        ("http://host:5000", "http://host:5000/#/experiments/1/runs/ab"),
        ("https://me:secret@host/mlflow/", "https://host/mlflow/#/experiments/1/runs/ab"),
        ("sqlite:///x.db", None),
        ("javascript:alert(1)", None),
    ],
)
def test_the_address_of_a_run(uri: str, address: str | None) -> None:
    assert run_address(uri, "1", "ab") == address


def test_identities_of_others_stay_inside_the_address() -> None:
    found = run_address("http://host", '"><script>', "a/b?c")
    assert found == "http://host/#/experiments/%22%3E%3Cscript%3E/runs/a%2Fb%3Fc"


def test_files_of_other_kinds_are_no_store(store_uri: str, tmp_path: Path) -> None:
    table = tmp_path / "trials.csv"
    table.write_text("id,precision\na,0.5\n")
    assert _store_of(str(table)) is None
    assert _store_of("nowhere.csv") is None
    assert _store_of("") is None
    assert _store_of(store_uri) == store_uri
    assert _store_of(str(Path(store_uri.removeprefix("sqlite:///")).parent)) == store_uri, (
        "a folder with a store"
    )


def test_writing_is_refused_unless_the_command_allowed_it(
    store_uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = read_table(store_uri, MADE).trials[1]
    for value in ("", "0", "yes"):
        monkeypatch.setenv("TRADEOFF_WRITE", value)
        assert not may_write()
        _change(store_uri, trial.run_id, undo=False)
    assert "tradeoff.promoted" not in ResultStore(store_uri).whole_run(trial.run_id).tags
    monkeypatch.setenv("TRADEOFF_WRITE", "1")
    assert may_write()
    assert promoted(store_uri, trial) is None
    assert promoted("trials.csv", trial) is None
