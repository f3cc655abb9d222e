"""The cubic kernel of KID without its constant, which no distance between sets contains.

The kernel is k(x, y) = (1 + s)³ with s = ⟨x, y⟩/d (Bińkowski et al., *Demystifying MMD GANs*, 2018). The unbiased
squared MMD

    1/(n(n-1)) Σ_{i≠j} k(x_i, x_j) + 1/(m(m-1)) Σ_{i≠j} k(y_i, y_j) - 2/(nm) Σ_{ij} k(x_i, y_j)

is a sum of three means over pairs, with factors 1, 1 and -2: a constant c added to k adds c + c - 2c = 0. So k may be
replaced by k - 1, and where s is small that is all that is left of it: 1 + s has no digit of an s below 1e-16 in
float64, (1+s)³ - 1 = s(3 + 3s + s²) has them all.
"""

from __future__ import annotations

from torch import Tensor

__all__ = ["shifted_cube", "shifted_cube_"]


def shifted_cube(s: Tensor) -> Tensor:
    """(1+s)³ - 1 = s(3 + 3s + s²) of every entry, to a few units in the last place.

    The second factor is (s + 3/2)² + 3/4 ≥ 3/4: of its three terms none can cancel more than a few bits of the others,
    and the product has its sign, and its zero, from s.
    """
    return shifted_cube_(s.clone())


def shifted_cube_(s: Tensor) -> Tensor:
    """:func:`shifted_cube` in the memory of ``s``, with one array of its size beside it: for tiles."""
    return s.mul_((s + 3).mul_(s).add_(3))
