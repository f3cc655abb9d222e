"""Addresses name one file however they are spelled, and are shown without their passwords."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from explorer.errors import UserError
from explorer.store import addresses
from explorer.store.addresses import (
    check_address,
    checked_address,
    has_password,
    named_address,
    shown_address,
    sqlite_address,
    sqlite_file,
)
from explorer.store.connection import Connection
from explorer.sweep.resources import TrackingSpec


def test_the_file_behind_an_address(tmp_path: Path) -> None:
    assert sqlite_file(f"sqlite:///{tmp_path}/x.db") == tmp_path / "x.db"
    assert sqlite_file("sqlite:///x.db") == Path("x.db").resolve()
    assert sqlite_file("sqlite+pysqlite:///x.db") == Path("x.db").resolve()
    assert sqlite_file("sqlite:///~/x.db") == Path.home() / "x.db"
    for other in ("http://x", "postgresql://x/y", "sqlite://", "x.db"):
        assert sqlite_file(other) is None


@pytest.mark.parametrize(
    ("uri", "spelled"),
    [
        ("sqlite:///~/x.db", f"sqlite:///{Path.home()}/x.db"),
        ("sqlite+pysqlite:////tmp/../x.db", "sqlite+pysqlite:////x.db"),
        ("http://host:5000", "http://host:5000"),
    ],
)
def test_mlflow_gets_the_file_we_looked_at(uri: str, spelled: str) -> None:
    assert sqlite_address(uri) == spelled


SECRETS = [
    "postgresql://me:secret@host/runs",
    "postgresql+psycopg2://me:sec:secret@host:5432/runs",
    "postgresql://me:p@secret@host/runs",
    "postgresql://me:p/secret@host/runs",
    "postgresql:///runs?user=me&password=secret",
    "postgresql://host/runs?sslpassword=secret&x=1",
    "mysql+pymysql://host/runs?passwd=secret",
    "https://me:secret@host/path?token=secret",
    "http://host/?api_key=secret",
    "//me:secret@host/x",
    "optuna:postgresql://me:secret@host/runs",
]


@pytest.mark.parametrize("uri", SECRETS)
def test_a_password_is_neither_shown_nor_taken_where_others_read_it(uri: str) -> None:
    assert has_password(uri)
    assert "secret" not in shown_address(uri)
    assert "host" in shown_address(uri) or "runs" in shown_address(uri)
    with pytest.raises(
        UserError, match=r"must be an address without a password, got .*; put it into"
    ) as refused:
        named_address(uri)
    assert "secret" not in str(refused.value)
    with pytest.raises(ValueError, match=r"tracking\.uri must be an address without"):
        TrackingSpec(uri=uri).check()


@pytest.mark.parametrize(
    "uri",
    [
        "sqlite:////a:b/c@d/x.db", "http://host:5000", "postgresql://me@host/runs?sslmode=require",
        "optuna:sqlite:////a:b@c/x.db", "optuna:/home/me@lab/x.db", "/home/a:b@c/x.csv", "12:30@lab.csv",
    ],
)  # fmt: skip
def test_an_address_without_one_is_taken(uri: str) -> None:
    assert named_address(uri) == uri


@pytest.mark.parametrize("uri", ["me:secret@host:5000", "http:me:sec ret'@host", "optuna:me:secret@host"])
def test_what_somebody_took_for_an_address_is_shown_without_its_password(uri: str) -> None:
    assert shown_address(uri).removeprefix("optuna:").startswith("…@host")


def test_no_sentence_has_the_password_of_an_address() -> None:
    told = str(
        UserError("cannot ask 'http://me:p@s/secret@host/x' or postgresql://a:secret@b/c, or 'http://h/a@b'")
    )
    assert "secret" not in told
    assert "'http://h/a@b'" in told


def test_length_is_not_shown() -> None:
    assert len(shown_address("sqlite:///" + "x" * 5000)) <= 150


@pytest.mark.parametrize(
    "uri",
    [
        "sqlite:///x.db", "sqlite+pysqlite:////tmp/x.db", "http://host", "https://a-b.example.org:5000/x",
        "http://127.0.0.1:5000", "http://[::1]:5000", "postgresql+psycopg2://me:secret@host:5432/runs",
        "mysql+pymysql://host/runs", "postgresql:///runs",
    ],
)  # fmt: skip
def test_addresses_that_stores_have(uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "find_spec", lambda module: module)
    assert checked_address(uri) == uri


@pytest.mark.parametrize("options", ["mode=ro&uri=true", "vfs=zzz&uri=true", "timeout=abc", "foo=bar", ""])
def test_options_of_a_file_are_refused_and_make_none(options: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"must be sqlite:///FILE without options after a \?, got"):
        Connection(f"sqlite:///{tmp_path}/mlflow.db?{options}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("uri", "told"),
    [
        (
            "postgresql+psycopg2://h/x",
            "driver psycopg2, which is not installed; run `pip install psycopg2-binary`",
        ),
        ("postgresql://h/x", f"driver {make_url('postgresql://').get_driver_name()}, which is not installed"),
        ("mysql:///x", "driver mysqldb, which is not installed; run `pip install mysqlclient`"),
        ("mysql+pymysql://h/x", "driver pymysql, which is not installed; run `pip install pymysql`"),
        ("mssql://h/x", "driver pyodbc, which is not installed"),
        ("postgresql+nonsense://h/x", "must be asked through psycopg2 or psycopg or pg8000, got"),
    ],
)
def test_a_database_without_its_driver_is_told_at_once(
    uri: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(addresses, "find_spec", lambda module: None)
    check_address("tracking.uri", uri)  # which a sweep file may name, wherever it is read
    with pytest.raises(UserError, match=told):
        checked_address(uri)


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
