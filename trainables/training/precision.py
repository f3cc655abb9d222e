"""In which precision a pack is trained: exact single precision, TF32 products, or products of bfloat16.

Rows, moments and averages are float32 in every case, and so are evaluations and densities: what is measured is the
model, not the rounding it was trained with.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import torch

__all__ = ["PrecisionName", "network_type", "products"]

PrecisionName = Literal["float32", "tf32", "bf16"]


def network_type(precision: str) -> torch.dtype | None:
    """The type in which networks compute in training; None for that of their parameters."""
    return torch.bfloat16 if precision == "bf16" else None


@contextmanager
def products(precision: str, device: torch.device) -> Iterator[None]:
    """Float32 products as asked while this is open: a card's are exact for ``float32``, of 10 bits for the others.

    torch's own settings differ between products of matrices (exact) and convolutions (TF32); here both are one choice.
    A CPU has no TF32: there ``tf32`` is ``float32``.
    """
    if device.type != "cuda":
        yield
        return
    before = torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32
    torch.set_float32_matmul_precision("highest" if precision == "float32" else "high")
    torch.backends.cudnn.allow_tf32 = precision != "float32"
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before[0])
        torch.backends.cudnn.allow_tf32 = before[1]
