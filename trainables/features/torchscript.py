"""Any TorchScript file as an extractor."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor

from trainables.extractors.weight_files import check_torchscript, damaged_torchscript
from trainables.features.extractor import Extractor, file_fingerprint, resize

__all__ = ["load_torchscript", "torchscript"]


def load_torchscript(path: Path, device: torch.device | str = "cpu") -> torch.nn.Module:
    """The module in a TorchScript file, on a device with all its constants, in evaluation mode."""
    check_torchscript(path)
    try:
        module: torch.nn.Module = torch.jit.load(str(path), map_location=torch.device(device))
    except RuntimeError as error:
        raise damaged_torchscript(path) from error
    return module.eval()


def torchscript(path: str | Path, side: int | None = None) -> Extractor:
    """Features of a TorchScript network fed with images in [0, 1], (n, c, h, w) → (n, …), flattened.

    What the network cannot take, or gives back in another form, is refused in one sentence.
    With ``side`` given images are resized to side×side and three channels first; else they go in as they are.
    """
    file = Path(path).expanduser()
    module = load_torchscript(file)

    def prepare(images: Tensor) -> Tensor:
        return (resize(images, side) if side else images) / 255

    def forward(images: Tensor) -> tuple[Tensor, None]:
        try:
            found = module(images)
        except torch.OutOfMemoryError:
            raise
        except RuntimeError as error:
            reason = str(error).strip().splitlines()[-1]
            raise ValueError(
                f"{file} must take images of shape {tuple(images.shape)} in [0, 1], but it failed: {reason}"
            ) from error
        if not isinstance(found, Tensor) or found.ndim < 2 or len(found) != len(images):
            kind = f"shape {tuple(found.shape)}" if isinstance(found, Tensor) else type(found).__name__
            raise ValueError(f"{file} must return one tensor with a row per image, got {kind}")
        return found.flatten(1), None

    return Extractor(
        name=file.name,
        fingerprint=f"torchscript-1-{file_fingerprint(file)}-{side}",
        prepare=prepare,
        forward=forward,
        description=f"TorchScript {file.name}, images in [0, 1]"
        + (f", resized to {side}×{side}" if side else ""),
        module=module,
    )
