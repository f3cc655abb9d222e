"""Methods of a module by ``functional_call``, which knows ``forward`` alone."""

from __future__ import annotations

from typing import Any

from torch import nn

__all__ = ["Face"]


class Face(nn.Module):
    """A module whose methods can be called through ``functional_call``: its parameters are those of ``inner``."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, method: str, *inputs: Any) -> Any:
        """What a method returns; ``forward`` with the hooks of the module."""
        return self.inner(*inputs) if method == "forward" else getattr(self.inner, method)(*inputs)
