"""Addresses name one file however they are spelled, and are shown without their passwords."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.store.addresses import shown_address, sqlite_address, sqlite_file


def test_the_file_behind_an_address(tmp_path: Path) -> None:
    assert sqlite_file(f"sqlite:///{tmp_path}/x.db") == tmp_path / "x.db"
    assert sqlite_file(f"sqlite:///{tmp_path}/x.db?timeout=5") == tmp_path / "x.db"
    assert sqlite_file("sqlite:///x.db") == Path("x.db").resolve()
    assert sqlite_file("sqlite+pysqlite:///x.db") == Path("x.db").resolve()
    assert sqlite_file("sqlite:///~/x.db") == Path.home() / "x.db"
    for other in ("http://x", "postgresql://x/y", "sqlite://", "x.db"):
        assert sqlite_file(other) is None


@pytest.mark.parametrize(
    ("uri", "spelled"),
    [
        ("sqlite:///~/x.db", f"sqlite:///{Path.home()}/x.db"),
        ("sqlite+pysqlite:////tmp/../x.db?timeout=5", "sqlite+pysqlite:////x.db?timeout=5"),
        ("http://host:5000", "http://host:5000"),
    ],
)
def test_mlflow_gets_the_file_we_looked_at(uri: str, spelled: str) -> None:
    assert sqlite_address(uri) == spelled


def test_passwords_and_length_are_not_shown() -> None:
    assert shown_address("postgresql://me:secret@host/runs") == "postgresql://…@host/runs"
    assert len(shown_address("sqlite:///" + "x" * 5000)) <= 150
