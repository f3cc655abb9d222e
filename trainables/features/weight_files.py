"""Where weight files are looked for."""

from __future__ import annotations

import importlib.util
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch

__all__ = ["check_archive", "find_weights", "load_state"]

LARGEST_PACKED = 1 << 26  # bytes; torch packs code, which is small, and never weights


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


def check_archive(path: Path) -> bool:
    """Whether the file is a zip archive; raise if it is a damaged one, or one that grows when it is unpacked."""
    if not zipfile.is_zipfile(path):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise ValueError(f"{path} must be a file of torch, but its archive is damaged: {error}") from error
    packed = sum(member.file_size for member in members if member.compress_type != zipfile.ZIP_STORED)
    stored = sum(member.file_size for member in members if member.compress_type == zipfile.ZIP_STORED)
    if packed > LARGEST_PACKED or stored > path.stat().st_size:
        raise ValueError(
            f"{path} must be a file of torch, which never packs weights, but unpacked it has {packed + stored} bytes; "
            "save it again"
        )
    return True


def load_state(path: Path) -> dict[str, torch.Tensor]:
    """A state dict of tensors; files that hold anything else are refused, never unpickled."""
    check_archive(path)
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # what torch says of it is how to run it all the same
        raise ValueError(
            f"{path} must hold a state dict of tensors, but it is damaged or holds more than tensors; save it again"
        ) from error
    if not isinstance(state, dict) or not all(isinstance(value, torch.Tensor) for value in state.values()):
        raise ValueError(f"{path} must hold a state dict of tensors, got {type(state).__name__}")
    return {str(name): value for name, value in state.items()}
