"""The digest of a set of samples: what tells whether two trials were trained on the same data."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

import numpy as np

from trainables.sources.source import Batch

__all__ = ["digest_of_parts", "digest_of_texts"]

DIGITS = 24
_ROWS = 4096


def digest_of_parts(parts: Iterable[Batch]) -> str:
    """Of parts with all their samples (N, *shape), in their order, and their classes."""
    found = sha256()
    for part in parts:
        for column in part:
            if column is None:
                continue
            found.update(f"{column.dtype} {tuple(column.shape)}".encode())
            for start in range(0, len(column), _ROWS):  # a card's samples come over piece by piece
                found.update(np.ascontiguousarray(column[start : start + _ROWS].cpu().numpy()).data)
    return found.hexdigest()[:DIGITS]


def digest_of_texts(texts: Iterable[str]) -> str:
    """Of texts, in their order."""
    found = sha256()
    for text in texts:
        found.update(text.encode("utf-8", "surrogatepass") + b"\n")
    return found.hexdigest()[:DIGITS]
