"""Whether what we rest on is installed, in versions that we ask for, and in those we are tested with."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from explorer.doctor.finding import Finding, Subject
from explorer.words import counted

__all__ = ["check_versions"]

DISTRIBUTION = "tradeoff-explorer"
_TESTED = Path(__file__).resolve().parents[2] / "constraints.txt"
"""Beside the source; an installed package has none."""


def check_versions(subject: Subject) -> Iterator[Finding]:
    """Every requirement of ours is met; how far versions are those we are tested with. O(requirements)."""
    from packaging.requirements import Requirement

    try:
        asked = [Requirement(text) for text in requires(DISTRIBUTION) or ()]
    except PackageNotFoundError:
        yield Finding(
            "versions", "problem", f"{DISTRIBUTION} is not installed", "run `pip install -e .` in its folder"
        )
        return
    ours = [one for one in asked if one.marker is None or one.marker.evaluate({"extra": ""})]
    found = {one.name: _version(one.name) for one in ours}
    unmet = [
        one
        for one in ours
        if found[one.name] is None or not one.specifier.contains(found[one.name] or "", True)
    ]
    for one in unmet:
        have = found[one.name] or "none"
        yield Finding(
            "versions", "problem", f"{one.name} must be {one.specifier}, got {have}",
            f"run `pip install '{one.name}{one.specifier}'`",
        )  # fmt: skip
    tested = _tested()
    others = {name: v for name, v in found.items() if v and tested.get(name, v) != v.partition("+")[0]}
    if others:
        told = ", ".join(f"{name} {v} (tested with {tested[name]})" for name, v in sorted(others.items())[:4])
        yield Finding(
            "versions", "note", f"{counted(len(others), 'package')} not of the tested version: {told}",
            "if something fails, install with `-c constraints.txt`",
        )  # fmt: skip
    elif not unmet:
        as_tested = ", all as tested" if tested else ""
        yield Finding(
            "versions",
            "ok",
            f"Python {platform.python_version()}, {counted(len(ours), 'package')}{as_tested}",
        )


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _tested() -> dict[str, str]:
    """Versions by package that we are tested with, as far as they are at hand."""
    try:
        lines = _TESTED.read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    pairs = (line.partition("==") for line in lines if not line.startswith("#"))
    return {name.strip(): exact.strip().partition("+")[0] for name, sign, exact in pairs if sign}
