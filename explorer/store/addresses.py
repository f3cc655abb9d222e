"""Addresses of tracking stores: ``sqlite:///FILE``, ``http(s)://HOST``, a database."""

from __future__ import annotations

import re
from pathlib import Path

from explorer.errors import brief

__all__ = ["shown_address", "sqlite_address", "sqlite_file"]


def sqlite_file(uri: str) -> Path | None:
    """The file behind ``sqlite:///relative`` or ``sqlite:////absolute``; None for other stores."""
    scheme, _, path = uri.partition(":///")
    path = path.partition("?")[0]
    return Path(path).expanduser().resolve() if scheme.split("+")[0] == "sqlite" and path else None


def sqlite_address(uri: str) -> str:
    """The address with its file spelled out, since MLflow knows no ``~``; other stores as they are."""
    file = sqlite_file(uri)
    scheme, _, rest = uri.partition(":///")
    _, asked, options = rest.partition("?")
    return uri if file is None else f"{scheme}:///{file}{asked}{options}"


def shown_address(uri: str) -> str:
    """The address for people: no password, and not too long for a sentence."""
    return brief(re.sub(r"//[^/@]*@", "//…@", uri), 150)
