"""``tradeoff presets``: the sweeps that ship with the package."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from explorer.sweep.presets import Preset

__all__ = ["presets"]

_INDENT = " " * 6
_WIDEST = 120
"""Columns: longer lines are tiring to read."""


def presets(
    name: Annotated[str | None, typer.Argument(help="Print this preset's YAML, to copy and change.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the list as JSON: name, description, data, model, sizes.")
    ] = False,
) -> None:
    """List the presets, or print one."""
    from explorer.errors import UserError
    from explorer.sweep.document import preset_names, preset_text
    from explorer.sweep.presets import describe_presets
    from trainables.nearest import nearest

    if name is None:
        found = describe_presets()
        if as_json:
            print(json.dumps([asdict(preset) for preset in found], ensure_ascii=False, indent=2))
        else:
            _print(found)
        return
    if name not in preset_names():
        raise UserError(f"no preset is called '{name}'{nearest(name, preset_names())}")
    if as_json:
        raise UserError(f"--json is for the list of presets; leave it out, or leave out '{name}'")
    print(preset_text(name), end="")


def _print(found: Sequence[Preset]) -> None:
    """A group per dataset; below each preset what it shows, in the width of the terminal."""
    from textwrap import wrap

    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    wide = min(console.width, _WIDEST) - len(_INDENT)
    widths = [max(map(len, column)) for column in zip(*map(_columns, found), strict=True)]
    for dataset, group in groupby(found, key=lambda preset: preset.dataset):
        console.print(Text(dataset, style="dim"))
        for preset in group:
            cells = [cell.ljust(width) for cell, width in zip(_columns(preset), widths, strict=True)]
            line = Text("  ").append(cells[0], style="bold").append("  " + "  ".join(cells[1:]).rstrip())
            console.print(line, soft_wrap=True)
            for told in wrap(preset.description, max(wide, 20), break_on_hyphens=False):
                console.print(Text(_INDENT + told, style="dim"), soft_wrap=True)
        console.print()
    console.print(
        "Run one with `tradeoff sweep NAME`; `tradeoff presets NAME` prints it, to copy and change."
    )


def _columns(preset: Preset) -> tuple[str, str, str]:
    bases = f"{preset.bases} base{'s' * (preset.bases != 1)}, " if preset.bases else ""
    return preset.name, preset.model, f"{bases}{preset.trials} trial{'s' * (preset.trials != 1)}"
