"""What ``resources.storage`` can be, told without opening anything."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from explorer.errors import brief
from trainables.family import require
from trainables.paths import check_path

__all__ = ["check_storage", "local_folder", "shown_storage"]

SCHEMES = ("s3", "gs", "gcs", "abfs", "abfss", "hdfs", "viewfs")
"""Object stores and file systems that pyarrow opens by address."""

LONGEST = 1000

_SECRET = re.compile(r"secret|token|password|account_key|access_key|signature|^sig$", re.IGNORECASE)


def check_storage(name: str, text: str) -> None:
    """Refuse what is neither a folder nor an address of a store; ``name``: the field it stands in."""
    if "://" not in text or text.startswith("file:"):
        wrong = f"{name} must be a folder, or file:///FOLDER, got {brief(text, 150)!r}"
        require("://" not in text or text.startswith("file:///"), wrong)
        path = unquote(text.removeprefix("file://"))
        check_path(name, path)
        place = Path(path).expanduser()
        require(place.is_dir() or not place.exists(), f"{name} must be a folder, but {place} is none")
        return
    wrong = (
        f"{name} must be a folder, file:///FOLDER, s3://BUCKET/PREFIX or an address of gs, abfs or hdfs, "
        f"got {shown_storage(text)!r}"
    )
    require(text.isprintable() and " " not in text and len(text) <= LONGEST, wrong)
    try:
        parts = urlsplit(text)
        bucket = parts.hostname
        asked = parse_qsl(parts.query, keep_blank_values=True)
    except ValueError:
        raise ValueError(wrong) from None
    require(parts.scheme in SCHEMES and not parts.fragment, wrong)
    require(bool(bucket), f"{name} must name a bucket, got {shown_storage(text)!r}")
    secret = bool(parts.password) or (parts.scheme == "s3" and "@" in parts.netloc)
    require(
        not secret and not any(_SECRET.search(key) for key, _ in asked),
        f"{name} must hold no credentials, since sweep files are stored with the runs, got {shown_storage(text)!r}; "
        "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or what the store's own tools read",
    )


def local_folder(text: str) -> Path | None:
    """The folder behind a path or ``file:///…``; None for the address of a store."""
    if text.startswith("file:///"):
        return Path(unquote(text.removeprefix("file://"))).resolve()
    return None if "://" in text else Path(text).expanduser().resolve()


def shown_storage(text: str) -> str:
    """The place for people: no credentials, no options, not too long for a sentence."""
    place = text.partition("?")[0].rstrip("/")
    return brief(re.sub(r"//[^/@]*:[^/@]*@", "//…@", place), 150)
