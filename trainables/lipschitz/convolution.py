"""The norm of a convolution as the operator it is, on images of one size; not that of its kernel as a matrix.

The images of n · n pixels with zeros around them lie on a torus of N ≥ n + padding pixels a side, N a multiple of the
stride: the zero-padded convolution is a compression of the circular one, whose norm is an upper bound. Where the
operator is small it is unrolled, and its norm exact. All functions take kernels (T, out, in, k, k), a trial per row,
and never mix rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor
from torch.nn.functional import conv2d, conv_transpose2d, pad

from trainables.lipschitz.matrices import gram_norm, where_finite

__all__ = ["ConvOperator"]

UNROLLED = 512
"""Operators with at most so many inputs, or outputs, are unrolled."""


@dataclass(frozen=True)
class ConvOperator:
    """x ↦ Σ_j w_j x(s·i + j - p) on images of one size.

    Attributes:
        outputs: channels that come out.
        inputs: channels that go in.
        kernel: height and width of the kernel.
        side: height and width of the images that go in.
        stride: s.
        padding: p, fewer than the kernel is wide.
    """

    outputs: int
    inputs: int
    kernel: tuple[int, int]
    side: tuple[int, int]
    stride: int
    padding: int

    @cached_property
    def out_side(self) -> tuple[int, int]:
        """Height and width of what comes out."""
        height, width = (
            (n + 2 * self.padding - k) // self.stride + 1 for n, k in zip(self.side, self.kernel, strict=True)
        )
        return height, width

    @cached_property
    def small(self) -> bool:
        """Whether the zero-padded operator is unrolled; else the circular one stands for it."""
        return min(self._sizes) <= UNROLLED

    @cached_property
    def _sizes(self) -> tuple[int, int]:
        """Numbers that go into the zero-padded operator and come out of it."""
        return self.inputs * math.prod(self.side), self.outputs * math.prod(self.out_side)

    @cached_property
    def torus(self) -> tuple[int, int]:
        """Height and width of the torus."""
        height, width = (
            -(-max(n + self.padding, k) // self.stride) * self.stride
            for n, k in zip(self.side, self.kernel, strict=True)
        )
        return height, width

    @property
    def image(self) -> tuple[int, int, int]:
        """Shape of what the tracked operator takes."""
        return (self.inputs, *(self.side if self.small else self.torus))

    @property
    def out_image(self) -> tuple[int, int, int]:
        """Shape of what it gives."""
        if self.small:
            return (self.outputs, *self.out_side)
        return (self.outputs, self.torus[0] // self.stride, self.torus[1] // self.stride)

    def apply(self, kernel: Tensor, x: Tensor) -> Tensor:
        """The zero-padded convolution if ``small``, else the circular one: (T, B, *image) → (T, B, *out_image)."""
        if self.small:
            return self.zero_padded(kernel, x)
        high, wide = (k - 1 for k in self.kernel)
        rolled = torch.cat((x, x[..., :high, :]), dim=-2) if high else x
        rolled = torch.cat((rolled, rolled[..., :wide]), dim=-1) if wide else rolled
        return self._convolved(kernel, rolled, 0)

    def adjoint(self, kernel: Tensor, y: Tensor) -> Tensor:
        """The transpose of ``apply``: (T, B, *out_image) → (T, B, *image)."""
        if self.small:
            return self.zero_padded_adjoint(kernel, y)
        height, width = self.torus
        spread = self._transposed(kernel, y, 0, (height + self.kernel[0] - 1, width + self.kernel[1] - 1))
        # What lies beyond the seam belongs to the other side.
        beyond = pad(spread[..., height:, :], (0, 0, 0, 2 * height - spread.shape[-2]))
        spread = spread[..., :height, :] + beyond
        return spread[..., :width] + pad(spread[..., width:], (0, 2 * width - spread.shape[-1]))

    def zero_padded(self, kernel: Tensor, x: Tensor) -> Tensor:
        """The convolution itself: (T, B, in, *side) → (T, B, out, *out_side)."""
        return self._convolved(kernel, x, self.padding)

    def zero_padded_adjoint(self, kernel: Tensor, y: Tensor) -> Tensor:
        """Its transpose: (T, B, out, *out_side) → (T, B, in, *side)."""
        return self._transposed(kernel, y, self.padding, self.side)

    def _convolved(self, kernel: Tensor, x: Tensor, padding: int) -> Tensor:
        """Trials are groups of channels of one convolution."""
        trials = len(kernel)
        out = conv2d(_grouped(x), kernel.flatten(0, 1), stride=self.stride, padding=padding, groups=trials)
        return _apart(out, trials)

    def _transposed(self, kernel: Tensor, y: Tensor, padding: int, side: tuple[int, int]) -> Tensor:
        trials = len(kernel)
        extra = [
            n + 2 * padding - k - (m - 1) * self.stride
            for n, k, m in zip(side, self.kernel, y.shape[-2:], strict=True)
        ]
        least = [min(more, self.stride - 1) for more in extra]
        flat = kernel.flatten(0, 1)
        out = conv_transpose2d(
            _grouped(y), flat, stride=self.stride, padding=padding, output_padding=least, groups=trials
        )
        if extra != least:  # pixels that no window reaches
            out = pad(out, (0, extra[1] - least[1], 0, extra[0] - least[0]))
        return _apart(out, trials)

    def norm(self, kernel: Tensor) -> Tensor:
        """(T,) certified upper bounds: exact where the operator is ``small``, else of the circular one.

        NaN for the kernel of a diverged trial.
        """
        finite = kernel.detach().nan_to_num(posinf=0.0, neginf=0.0).double()
        norm = self.unrolled_norm(finite) if self.small else self.circular_norm(finite)
        return where_finite(kernel, norm).to(kernel.dtype)

    def unrolled_norm(self, kernel: Tensor) -> Tensor:
        """(T,) ‖A‖ of the zero-padded operator, as a matrix of its smaller side."""
        size_in, size_out = self._sizes
        basis = torch.eye(min(size_in, size_out), dtype=kernel.dtype, device=kernel.device)
        basis = basis.expand(len(kernel), -1, -1)
        if size_in <= size_out:
            matrix = self.zero_padded(kernel, basis.unflatten(2, (self.inputs, *self.side)))
        else:
            matrix = self.zero_padded_adjoint(kernel, basis.unflatten(2, (self.outputs, *self.out_side)))
        return gram_norm(matrix.flatten(2))

    def circular_norm(self, kernel: Tensor) -> Tensor:
        """(T,) ‖A‖ of the circular operator on the torus, at least that of the zero-padded one.

        Frequencies that the stride folds onto one another, g and g + a·N/s, are mapped together: one matrix
        (1/s) [ŵ(g + a·N/s)]_a of shape (out, in · s²) for each g, and ‖A‖ is the largest of their norms. Those of
        -g are the conjugates of those of g.
        """
        s = self.stride
        (rows, columns), (high, wide) = self.torus, self.kernel
        phase_h, phase_w = _phases(kernel, rows, high), _phases(kernel, columns, wide)  # (N, k)
        across = torch.einsum(
            "toihw,vw->tohiv", kernel.to(phase_w.dtype), phase_w
        )  # v: all frequencies of a row
        across = across.unflatten(-1, (s, columns // s))
        best = kernel.new_zeros(len(kernel))
        for g in range(rows // s // 2 + 1):
            folded = phase_h[g :: rows // s]  # (s, k)
            blocks = torch.einsum("tohibg,ah->tgoiab", across, folded).flatten(3) / s
            norms = gram_norm(blocks.flatten(0, 1)).unflatten(0, blocks.shape[:2])
            best = torch.maximum(best, norms.amax(dim=1))
        return best

    def power_norm(self, kernel: Tensor, tolerance: float = 1e-12, most: int = 20_000) -> Tensor:
        """(T,) ‖A‖ of the zero-padded operator by power iteration in double precision, from below.

        It ends when no trial's norm grows by more than ``tolerance`` of itself in ten iterations.
        """
        exact = kernel.detach().double()
        shape = (len(kernel), 1, self.inputs, *self.side)
        start = torch.randn(shape[2:], generator=torch.Generator().manual_seed(0), dtype=torch.float64)
        x = start.to(kernel.device).expand(shape)
        before = exact.new_zeros(len(kernel))
        for iteration in range(most):
            y = self.zero_padded(exact, x / _length(x))
            x = self.zero_padded_adjoint(exact, y)
            if iteration % 10 == 9:
                now = _length(y).flatten()
                if bool((now - before <= tolerance * now).all()):
                    return now
                before = now
        return before


def _grouped(x: Tensor) -> Tensor:
    """(T, B, C, H, W) → (B, T · C, H, W)."""
    return x.transpose(0, 1).flatten(1, 2)


def _apart(x: Tensor, trials: int) -> Tensor:
    """(B, T · C, H, W) → (T, B, C, H, W)."""
    parts: Tensor = x.unflatten(1, (trials, -1))
    return parts.transpose(0, 1)


def _length(x: Tensor) -> Tensor:
    norm: Tensor = torch.linalg.vector_norm(x, dim=(-3, -2, -1), keepdim=True)
    return norm.clamp_min(1e-300)


def _phases(like: Tensor, size: int, taps: int) -> Tensor:
    """(N, k) e^{2πi f j / N}."""
    frequency = torch.arange(size, dtype=torch.float64, device=like.device)
    offset = torch.arange(taps, dtype=torch.float64, device=like.device)
    angle = 2 * torch.pi * frequency[:, None] * offset / size
    return torch.polar(torch.ones_like(angle), angle)
