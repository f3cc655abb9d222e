"""The digits that come with scikit-learn: 1,797 grey images of handwritten digits, 8×8, ten classes.

Alpaydin & Kaynak, *Optical Recognition of Handwritten Digits*, UCI Machine Learning Repository, 1998.
"""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["digits"]


def digits() -> tuple[Tensor, Tensor]:
    """Images (1797, 1, 8, 8) as bytes and labels (1797,); nothing is downloaded. Their 17 greys fill 0…255."""
    from sklearn.datasets import load_digits

    data = load_digits()
    images = torch.from_numpy(data.images)[:, None]
    return (images * (255 / 16)).round().to(torch.uint8), torch.from_numpy(data.target).long()
