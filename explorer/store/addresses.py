"""Addresses of tracking stores: ``sqlite:///FILE``, ``http(s)://HOST``, a database."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from explorer.errors import UserError, brief
from explorer.folders import default_tracking_uri
from trainables.family import require
from trainables.paths import check_path

__all__ = [
    "asked_address",
    "check_address",
    "check_password",
    "checked_address",
    "has_password",
    "named_address",
    "shown_address",
    "sqlite_address",
    "sqlite_file",
    "without_password",
]

LONGEST = 2000
"""Characters of an address."""

_DATABASES = {
    "postgresql": {"psycopg2": "psycopg2", "psycopg": "psycopg", "pg8000": "pg8000"},
    "mysql": {"mysqldb": "MySQLdb", "pymysql": "pymysql", "mysqlconnector": "mysql"},
    "mssql": {"pyodbc": "pyodbc", "pymssql": "pymssql"},
}
"""Databases, each with the drivers it is asked through and the module of each."""

_PACKAGES = {
    "psycopg2": "psycopg2-binary",
    "psycopg": "psycopg[binary]",
    "MySQLdb": "mysqlclient",
    "mysql": "mysql-connector-python",
}
"""What to install where it is not called like the module."""

_FILES = ("sqlite", "sqlite+pysqlite")
_USER = re.compile(r"^((?:optuna:)?(?!sqlite)(?:\w[\w+.-]*:)?//+)(.*)@(?=[^/@]*(?:[/?#]|$))", re.DOTALL)
"""What stands before the host; a password may hold anything, so the last ``@`` before a path counts."""
_BARE = re.compile(r"^((?:optuna:)?+)(?!sqlite)[^/:@]+:(?!//).*@", re.DOTALL)
"""The same of what is no address for want of slashes. A file may be called so: it is hidden, and not refused."""
_SECRET = re.compile(r"([?&;][^=&;]*(?:pass|pwd|secret|token|key)[^=&;]*=)[^&;#]*", re.IGNORECASE)
"""Options of an address whose names say that nobody is to see them."""
_LABEL = re.compile(r"[^\W_]([\w-]{0,61}[^\W_])?")
"""One part of a host's name, between dots."""


def check_address(name: str, uri: str) -> None:
    """Refuse what no tracking store could have as its address, before anything asks for it; ``name`` is its field."""
    wrong = f"{name} must be sqlite:///FILE, http(s)://HOST or a database address, got {shown_address(uri)!r}"
    require(uri.isprintable() and len(uri) <= LONGEST, wrong)
    scheme, _, rest = uri.partition("://")
    if scheme in _FILES:
        path = rest.removeprefix("/")
        require(rest.startswith("/") and path != ":memory:", wrong)
        require(
            "?" not in path,
            f"{name} must be sqlite:///FILE without options after a ?, got {shown_address(uri)!r}",
        )
        check_path(name, path)
        return
    require(scheme in ("http", "https") or scheme.split("+")[0] in _DATABASES, wrong)
    try:
        parts = urlsplit(uri)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise ValueError(wrong) from None
    named = all(_LABEL.fullmatch(label) for label in host.removesuffix(".").split(".")) and len(host) <= 253
    local = not host and scheme.split("+")[0] in _DATABASES  # a database that is asked through a file
    require(port != 0 and (named or ":" in host or local), wrong)


def checked_address(uri: str) -> str:
    """An address that is about to be asked; what is none is told, and so is a driver that is not installed."""
    try:
        check_address("a tracking store", uri)
        _check_driver(uri)
    except ValueError as error:
        raise UserError(str(error)) from None
    return uri


def check_password(name: str, uri: str) -> None:
    """Refuse an address with a password where it would be kept, shown by ``ps`` or sent on; ``name`` is its field."""
    if not has_password(uri):
        return
    scheme = uri.partition("://")[0]
    elsewhere = (
        "MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, or MLFLOW_TRACKING_TOKEN"
        if scheme in ("http", "https")
        else "the variable MLFLOW_TRACKING_URI, which may hold the whole address"
    )
    raise ValueError(
        f"{name} must be an address without a password, got {shown_address(uri)!r}; put it into {elsewhere}"
    )


def named_address(uri: str, name: str = "--tracking-uri") -> str:
    """An address that somebody wrote where others may read it, in a command or a call: it must have no password."""
    try:
        check_password(name, uri)
    except ValueError as error:
        raise UserError(str(error)) from None
    return uri


def asked_address(named: str | None, name: str = "--tracking-uri") -> str:
    """The store that was named in a command or a call, else the one that commands use."""
    return named_address(named, name) if named else default_tracking_uri()


def _check_driver(uri: str) -> None:
    """Refuse a database whose driver is not there, before MLflow is loaded to find that out."""
    database, _, driver = uri.partition("://")[0].partition("+")
    modules = _DATABASES.get(database)
    if modules is None:
        return
    driver = driver or _usual_driver(database)
    require(
        driver in modules,
        f"a tracking store in {database} must be asked through {' or '.join(modules)}, got {shown_address(uri)!r}",
    )
    module = modules[driver]
    require(
        find_spec(module) is not None,
        f"a tracking store in {database} must have its driver {driver}, which is not installed; run "
        f"`pip install {_PACKAGES.get(module, module)}` or name another store",
    )


def _usual_driver(database: str) -> str:
    """The driver of an address that names none: SQLAlchemy's choice, which its version 2.1 changed for PostgreSQL."""
    from sqlalchemy.engine import make_url

    return str(make_url(f"{database}://").get_driver_name())


def sqlite_file(uri: str) -> Path | None:
    """The file behind ``sqlite:///relative`` or ``sqlite:////absolute``; None for other stores."""
    scheme, _, path = uri.partition(":///")
    return Path(path).expanduser().resolve() if scheme.split("+")[0] == "sqlite" and path else None


def sqlite_address(uri: str) -> str:
    """The address with its file spelled out, since MLflow knows no ``~``; other stores as they are."""
    file = sqlite_file(uri)
    return uri if file is None else f"{uri.partition(':///')[0]}:///{file}"


def has_password(uri: str) -> bool:
    """Whether an address tells a secret: a password before its host, or one among its options."""
    user = _USER.match(uri)
    return (user is not None and ":" in user[2]) or _SECRET.search(uri) is not None


def without_password(uri: str) -> str:
    """The address with nobody's name and no secret in it."""
    return _SECRET.sub(r"\1…", _BARE.sub(r"\1…@", _USER.sub(r"\1…@", uri)))


def shown_address(uri: str) -> str:
    """The address for people: no password, and not too long for a sentence."""
    return brief(without_password(uri), 150)
