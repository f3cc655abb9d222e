"""Two ways through a network that meet in a sum: residual blocks."""

from __future__ import annotations

from torch import Tensor, nn

__all__ = ["Branches"]


class Branches(nn.Module):
    """branch(x) + skip(x), and nothing else: what reads networks for their Lipschitz bound relies on it.

    ‖branch + skip‖ ≤ ‖branch‖ + ‖skip‖. A subclass makes the two children and leaves ``forward`` as it is; one with
    a ``forward`` of its own is not bounded.
    """

    branch: nn.Module
    skip: nn.Module

    def __init__(self, branch: nn.Module, skip: nn.Module) -> None:
        super().__init__()
        self.branch, self.skip = branch, skip

    def forward(self, x: Tensor) -> Tensor:
        """(n, …) → (n, …), of one shape on both ways."""
        out: Tensor = self.branch(x) + self.skip(x)
        return out
