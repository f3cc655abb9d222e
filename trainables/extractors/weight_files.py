"""Files of networks: where weights are looked for, and what a file holds, as far as that is told without torch."""

from __future__ import annotations

import importlib.util
import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from trainables.archives import open_archive
from trainables.extractors.extractor import Images
from trainables.refusals import other_channels
from trainables.tensor_files import StoredTensor, check_old_file, read_stored

if TYPE_CHECKING:
    from torch import Tensor

__all__ = [
    "Weights",
    "check_archive",
    "check_channels",
    "check_state",
    "check_torchscript",
    "damaged_torchscript",
    "find_weights",
    "is_torchscript",
    "load_state",
]

LARGEST_PACKED = 1 << 26  # bytes; torch packs code, which is small, and never weights


@dataclass(frozen=True)
class Weights:
    """The weights of a network.

    Attributes:
        what: whose they are, as a part of a sentence.
        layer, shape: its first tensor, by which a state dict is known.
        advice: how to get them.
        cached: file names in ``$TORCH_HOME/hub/checkpoints``.
        packaged: names of packages that carry them, each with the file name.
    """

    what: str
    layer: str
    shape: tuple[int, ...]
    advice: str
    cached: tuple[str, ...] = ()
    packaged: Mapping[str, str] = field(default_factory=dict)


def find_weights(weights: Weights, path: str | Path | None) -> Path:
    """The weight file: at ``path``, in the torch hub cache, or inside an installed package.

    Nothing is downloaded. If none exists, the error says where was looked and how to get one.
    """
    if path is not None:
        chosen = Path(path).expanduser()
        if not chosen.is_file():
            raise ValueError(
                f"the weights of {weights.what} must be a file, but {chosen} is none; {weights.advice}"
            )
        return chosen
    folder = _hub() / "checkpoints"
    for name in weights.cached:
        if (folder / name).is_file():
            return folder / name
    for package, name in weights.packaged.items():
        spec = importlib.util.find_spec(package)
        for place in (spec.submodule_search_locations or []) if spec else []:
            if (Path(place) / name).is_file():
                return Path(place) / name
    packages = " or ".join(weights.packaged) or "none"
    raise ValueError(
        f"the weights of {weights.what} were not found: looked for {', '.join(weights.cached)} in {folder} and for "
        f"the package {packages}; {weights.advice}"
    )


def check_channels(*sides: Images) -> None:
    """Refuse images that are neither grey nor red, green and blue: ImageNet's networks take no others."""
    for side in sides:
        for shape in side.shapes:
            if shape[0] not in (1, 3):
                raise other_channels((side.count, *shape))


def check_archive(path: Path) -> bool:
    """Whether the file is a zip archive; raise if it is a damaged one, or one that grows when it is unpacked."""
    if not zipfile.is_zipfile(path):
        return False
    try:
        with open_archive(path) as archive:
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


def is_torchscript(path: Path) -> bool:
    """Whether the file is a TorchScript archive (and not, say, a state dict)."""
    if not check_archive(path):
        return False
    with open_archive(path) as archive:
        return any(name.endswith("/constants.pkl") for name in archive.namelist())


def check_torchscript(path: Path) -> None:
    """Refuse what is no TorchScript file, or one that is damaged where a few bytes tell it."""
    if not path.is_file():
        raise ValueError(
            f"there is no file {path.absolute()}; a path that is not whole is looked for in the working folder"
        )
    if not is_torchscript(path):
        raise ValueError(
            f"{path} must be a TorchScript file; save the network with torch.jit.script(net).save(...)"
        )
    with open_archive(path) as archive:
        names = [name for name in archive.namelist() if name.endswith("/data.pkl")]
        try:  # a pickled object whose class is code of the archive
            whole = bool(names) and archive.open(names[0]).read(12) == b"\x80\x02c__torch__"
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
            raise damaged_torchscript(path) from error
    if not whole:
        raise damaged_torchscript(path)


def damaged_torchscript(path: Path) -> ValueError:
    """What to raise when torch could not read a TorchScript file."""
    return ValueError(
        f"{path} must be a TorchScript file, but it is damaged, or of another torch; save it again"
    )


def check_state(path: Path, weights: Weights) -> None:
    """Refuse what is no state dict of tensors, or one of another network, by its first tensor.

    Of files from before torch 1.6 only the names of what they need are looked at.
    """
    old = not check_archive(path)
    try:
        if old:
            return check_old_file(path)
        state = read_stored(path)
    except Exception as error:  # of damage there are as many kinds as there are bytes
        raise _damaged_state(path) from error
    if not isinstance(state, dict) or not all(isinstance(value, StoredTensor) for value in state.values()):
        kind = "Tensor" if isinstance(state, StoredTensor) else type(state).__name__
        raise ValueError(f"{path} must hold a state dict of tensors, got {kind}")
    first = state.get(weights.layer)
    if first is None or first.shape != weights.shape:
        raise ValueError(
            f"{path} must hold {weights.what}, but it has no {weights.layer} of shape {weights.shape}; {weights.advice}"
        )


def load_state(path: Path) -> dict[str, Tensor]:
    """A state dict of tensors; files that hold anything else are refused, never unpickled.

    Archives are mapped: processes of a machine that load the same weights have them in memory once.
    """
    import torch

    mapped = check_archive(path) and not _is_packed(path)
    try:
        state = torch.load(path, map_location="cpu", weights_only=True, mmap=mapped)
    except Exception as error:  # what torch says of it is how to run it all the same
        raise _damaged_state(path) from error
    if not isinstance(state, dict) or not all(isinstance(value, torch.Tensor) for value in state.values()):
        raise ValueError(f"{path} must hold a state dict of tensors, got {type(state).__name__}")
    return {str(name): value for name, value in state.items()}


def _is_packed(path: Path) -> bool:
    with open_archive(path) as archive:
        return any(member.compress_type != zipfile.ZIP_STORED for member in archive.infolist())


def _damaged_state(path: Path) -> ValueError:
    return ValueError(
        f"{path} must hold a state dict of tensors, but it is damaged or holds more than tensors; save it again"
    )


def _hub() -> Path:
    """The folder that ``torch.hub`` keeps files in, unless a program tells it another."""
    caches = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    return Path(os.environ.get("TORCH_HOME", f"{caches}/torch")).expanduser() / "hub"
