"""Convolutions of a trial alone on a card: kernels with their channels last, as tensor cores read them.

One operand in that layout is enough: a convolution brings the other to it and answers in it, so that a whole network
follows from its kernels. Values stay what they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn

__all__ = ["channels_last", "follows", "pays"]


def pays(device: torch.device, kind: torch.dtype | None) -> bool:
    """Whether products are those of tensor cores: of bfloat16 or TF32. Exact ones are slower in this layout."""
    return device.type == "cuda" and (kind is not None or torch.backends.cudnn.allow_tf32)


def follows(module: nn.Module, call: Callable[[], object]) -> bool:
    """Whether a call of a module with kernels, on the CPU, runs in this layout, in which the kernels then stay.

    One that takes a ``view`` of what it convolved does not.
    """
    if not any(p.ndim == 4 for p in module.parameters()):
        return False
    module.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    try:
        call()
    except (RuntimeError, ValueError):
        return False
    return True


def channels_last(rows: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Parameters (1, *shape) of one trial with its kernels, (1, o, i, h, w), in the layout."""
    return {
        name: row[0].contiguous(memory_format=torch.channels_last).unsqueeze(0)
        if row.ndim == 5 and row.is_floating_point()
        else row
        for name, row in rows.items()
    }
