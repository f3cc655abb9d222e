"""A store as a place: what a server that does not answer costs, and runs asked one by one."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.results import place
from explorer.results.place import Place
from explorer.store import swift
from explorer.store.connection import Connection
from tests.stores import empty_store


def test_a_run_is_read_without_its_sweep(tmp_path: Path) -> None:
    uri = empty_store(tmp_path)
    client = Connection(uri).client
    run = client.create_run("0", tags={"who": "me"}).info.run_id
    client.log_metric(run, "loss", 0.5, step=3)
    client.log_text(run, '{"a": 1}', "curve.json")
    found = Place(uri)
    assert found.history(run, "loss") == [(3, 0.5)]
    assert found.artifact_json(run, "curve.json") == {"a": 1}
    assert found.whole_run(run).metrics == {"loss": 0.5}
    assert (found.tag(run, "who"), found.tag(run, "nobody")) == ("me", "")
    assert found.history("no such run", "loss") == []
    with pytest.raises(UserError):
        found.artifact_bytes("no such run", "curve.json")


def test_a_file_is_asked_straight_as_long_as_it_is_sound(tmp_path: Path) -> None:
    uri = empty_store(tmp_path)
    assert Place(uri).exists()
    assert Place(uri).swiftly(swift.experiments) == {"0": "Default"}
    (tmp_path / "x.db").write_text("no database")
    assert Place(f"sqlite:///{tmp_path / 'x.db'}").swiftly(swift.experiments) is None
    assert Place("http://localhost:1").swiftly(swift.experiments) is None
    assert not Place(f"sqlite:///{tmp_path / 'none.db'}").exists()


def test_a_server_is_asked_for_a_sign_of_life_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []
    monkeypatch.setattr(place, "refuse_silent", lambda uri, seconds: asked.append(seconds))
    hasty, patient = Place("http://localhost:1", patience=2.0), Place("http://localhost:1")
    for one in (hasty, patient):
        assert one.connection() is one.connection()
    assert asked == [2.0], "once for both, and never for one who waits"
    monkeypatch.setattr(place, "REACHED_S", -1.0)
    hasty.connection()
    assert asked == [2.0, 2.0]
