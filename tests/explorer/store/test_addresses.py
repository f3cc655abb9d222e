"""Addresses name one file however they are spelled, and are shown without their passwords."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.store.addresses import checked_address, shown_address, sqlite_address, sqlite_file


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


@pytest.mark.parametrize(
    "uri",
    [
        "sqlite:///x.db", "sqlite+pysqlite:////tmp/x.db?timeout=5", "http://host", "https://a-b.example.org:5000/x",
        "http://127.0.0.1:5000", "http://[::1]:5000", "postgresql+psycopg2://me:secret@host:5432/runs",
        "mysql+pymysql://host/runs", "postgresql:///runs",
    ],
)  # fmt: skip
def test_addresses_that_stores_have(uri: str) -> None:
    assert checked_address(uri) == uri


@pytest.mark.parametrize(
    "uri",
    [
        "", "x.db", "sqlite://x.db", "sqlite:///", "sqlite:///:memory:", "sqlite+foo:///x.db", "sqlite:///~nobody_here/x",
        f"sqlite:///{'a' * 300}", "http:x", "http://", "http:///", "http://-", "http://..", "http://a b", "http://h:abc",
        "http://h:0", "http://h:99999", "http://[::1", "http+unix://h", "mysql://[", "postgresql://h:abc/x", "ftp://h",
        f"http://{'a' * 64}", f"http://{'.'.join(['a' * 60] * 5)}", "http://h/" + "x" * 2000, "http://h\x1b[31m",
    ],
)  # fmt: skip
def test_addresses_that_no_store_has_are_refused(uri: str) -> None:
    with pytest.raises(UserError, match="a tracking store must"):
        checked_address(uri)
