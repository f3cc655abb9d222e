"""Whoever measures samples by one command measures them alike by the other: same options, defaults and words."""

from __future__ import annotations

from collections.abc import Callable

import typer
from typer.core import TyperOption

from explorer.cli.imports import samples
from explorer.cli.measure import measure

SHARED = {"classifier", "features", "metrics", "k", "device", "seed"}


def options(command: Callable[..., None]) -> dict[str, tuple[object, str | None]]:
    """Default and help of the options that both have."""
    made = typer.Typer()
    made.command()(command)
    found = typer.main.get_command(made).params
    return {
        o.name or "": (o.default, o.help) for o in found if isinstance(o, TyperOption) and o.name in SHARED
    }


def test_both_commands_offer_the_same() -> None:
    assert options(measure) == options(samples)
    assert options(measure).keys() == SHARED
