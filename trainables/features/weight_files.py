"""Where weight files are looked for."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch

__all__ = ["find_weights", "load_state"]


def find_weights(
    what: str,
    path: str | Path | None,
    cached: Sequence[str],
    packaged: Mapping[str, str],
    advice: str,
) -> Path:
    """The weight file of ``what``: at ``path``, in the torch hub cache, or inside an installed package.

    ``cached`` are file names in ``$TORCH_HOME/hub/checkpoints``; ``packaged`` maps package names to file names in
    them. Nothing is downloaded. If none exists, the error says where was looked and how to get one.
    """
    if path is not None:
        chosen = Path(path).expanduser()
        if not chosen.is_file():
            raise ValueError(f"the weights of {what} must be a file, but {chosen} is none; {advice}")
        return chosen
    folder = Path(torch.hub.get_dir()) / "checkpoints"
    for name in cached:
        if (folder / name).is_file():
            return folder / name
    for package, name in packaged.items():
        spec = importlib.util.find_spec(package)
        for place in (spec.submodule_search_locations or []) if spec else []:
            if (Path(place) / name).is_file():
                return Path(place) / name
    packages = " or ".join(packaged) or "none"
    raise ValueError(
        f"the weights of {what} were not found: looked for {', '.join(cached)} in {folder} and for the package "
        f"{packages}; {advice}"
    )


def load_state(path: Path) -> dict[str, torch.Tensor]:
    """A state dict of tensors; files that hold anything else are refused, never unpickled."""
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:
        raise ValueError(
            f"{path} must hold a state dict of tensors, but reading it failed: {error}"
        ) from error
    if not isinstance(state, dict) or not all(isinstance(value, torch.Tensor) for value in state.values()):
        raise ValueError(f"{path} must hold a state dict of tensors, got {type(state).__name__}")
    return state
