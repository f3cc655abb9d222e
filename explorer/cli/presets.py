"""``tradeoff presets``: the sweeps that ship with the package."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["presets"]


def presets(
    name: Annotated[str | None, typer.Argument(help="Print this preset's YAML, to copy and change.")] = None,
) -> None:
    """List the presets, or print one."""
    from explorer.errors import UserError
    from explorer.sweep.document import list_presets, preset_text
    from trainables.nearest import nearest

    known = list_presets()
    if name is None:
        width = max(map(len, known))
        for preset, description in known.items():
            print(f"{preset:<{width}}  {description}")
        return
    if name not in known:
        raise UserError(f"no preset is called '{name}'{nearest(name, known)}")
    print(preset_text(name), end="")
