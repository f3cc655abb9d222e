"""Networks g with a certified Lipschitz constant: layers rescaled by an upper bound of their norm.

The bound is that of the Gram iteration (Delattre et al. 2023): with A = WᵀW and m = 2^k,

    ‖W‖₂ ≤ ‖A^m‖_F^{1/2m} = (Σ σ_i^{4m})^{1/4m} ≤ r^{1/4m} ‖W‖₂,   r the rank of W.

It is made of products of matrices alone: it holds at every step of training, not in the limit as that of a power
iteration does, has a gradient, maps over stacked trials, and can be captured in a CUDA graph, which an SVD cannot.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from trainables.models.layers.stacked import same_convolution

__all__ = ["Contractive", "ConvLayer", "DenseLayer", "conv_norm_bound", "norm_bound"]

_SQUARINGS = 6
"""k: with rank 64 the bound is at most 1.7 % above the norm, with rank 2 at most 0.3 %."""

_ROUNDING = 1 + 1e-6
"""Weights are rounded to single precision after all."""


def norm_bound(weight: Tensor) -> Tensor:
    """Upper bound (…) of the spectral norm of matrices (…, m, n), real or complex.

    In double precision, whatever the weights have: products of less (TF32, bfloat16) would not bound anything.
    """
    wide = weight.shape[-2] <= weight.shape[-1]
    exact = weight.to(torch.complex128 if weight.is_complex() else torch.float64)
    power = exact @ exact.mH if wide else exact.mH @ exact
    log_scale = torch.zeros_like(_frobenius(power))
    for _ in range(_SQUARINGS):
        size = _frobenius(power)
        power = power / size[..., None, None]
        power, log_scale = power @ power, 2 * (log_scale + size.log())
    total = log_scale + _frobenius(power).log()
    return _ROUNDING * torch.exp(total / 2 ** (_SQUARINGS + 1))


def _frobenius(matrix: Tensor) -> Tensor:
    squares = matrix.real.square() + matrix.imag.square() if matrix.is_complex() else matrix.square()
    return (squares.sum((-2, -1)) + 1e-60).sqrt()  # so that a weight of zeros has a gradient, of zeros


def conv_norm_bound(kernel: Tensor, height: int, width: int) -> Tensor:
    """Upper bound of the operator norm of a zero-padded convolution, kernel (o, i, k, k), on images (i, h, w).

    Zero padding is a circular convolution on a torus larger by k - 1, restricted; a Fourier transform makes that one
    matrix (o, i) per frequency, whose greatest norm is the operator's (Sedghi et al. 2019).
    """
    size = kernel.shape[-1] - 1
    spectrum = torch.fft.rfft2(kernel.double(), s=(height + size, width + size))  # (o, i, h', w')
    return norm_bound(spectrum.permute(2, 3, 0, 1)).amax()


class _Layer(nn.Module, ABC):
    """A linear layer whose weight can be had at a norm ≤ ``limit``."""

    weight: nn.Parameter
    bias: nn.Parameter

    @abstractmethod
    def bound(self) -> Tensor:
        """Upper bound of the norm of the layer as it is."""

    @abstractmethod
    def apply_weight(self, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        """The layer with another weight and bias."""

    def limited(self, limit: float) -> Tensor:
        """The weight, scaled down if its norm may exceed ``limit``."""
        return self.weight / (self.bound() / limit).clamp(min=1.0).to(self.weight.dtype)


class DenseLayer(_Layer):
    """x W + b on points (n, d)."""

    def __init__(self, fan_in: int, fan_out: int) -> None:
        super().__init__()
        plain = nn.Linear(fan_in, fan_out)  # for its initial values
        self.weight, self.bias = nn.Parameter(plain.weight.detach()), nn.Parameter(plain.bias.detach())

    def bound(self) -> Tensor:
        """Of the matrix."""
        return norm_bound(self.weight)

    def apply_weight(self, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        """(n, i) → (n, o)."""
        return F.linear(x, weight, bias)


class ConvLayer(_Layer):
    """A zero-padded k×k convolution of images (n, c, h, w)."""

    def __init__(self, fan_in: int, fan_out: int, kernel: int, side: tuple[int, int]) -> None:
        super().__init__()
        plain = nn.Conv2d(fan_in, fan_out, kernel)
        assert plain.bias is not None
        self.weight, self.bias = nn.Parameter(plain.weight.detach()), nn.Parameter(plain.bias.detach())
        self.side = side

    def bound(self) -> Tensor:
        """Of the operator, not of the kernel laid flat."""
        if self.weight.shape[-1] == 1:
            return norm_bound(self.weight.flatten(1))
        return conv_norm_bound(self.weight, *self.side)

    def apply_weight(self, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        """(n, i, h, w) → (n, o, h, w)."""
        return same_convolution(x, weight, bias)


class Contractive(nn.Module):
    """g with Lip(g) ≤ L: m layers of norm ≤ L^{1/m}, LipSwish u σ(βu) / 1.1 between them (Chen et al. 2019).

    The slope of LipSwish is at most 1 whatever β is, and smooth, which the gradient of a log-determinant asks for.
    """

    def __init__(self, shape: tuple[int, ...], width: int, constant: float) -> None:
        """``shape`` (d,) of points or (c, h, w) of images; two hidden layers of ``width``."""
        super().__init__()
        widths = (shape[0], width, width, shape[0])
        self.limit = constant ** (1 / 3)
        if len(shape) == 1:
            self.layers = nn.ModuleList(DenseLayer(a, b) for a, b in pairwise(widths))
        else:
            kernels, side = (3, 1, 3), (shape[1], shape[2])
            sizes = zip(pairwise(widths), kernels, strict=True)
            self.layers = nn.ModuleList(ConvLayer(a, b, kernel, side) for (a, b), kernel in sizes)
        self.steepness = nn.Parameter(torch.full((2,), math.log(math.e - 1)))  # β near 1
        last = self.layers[-1]
        assert isinstance(last, _Layer)
        nn.init.zeros_(last.weight)  # start at g = 0
        nn.init.zeros_(last.bias)

    def function(self) -> Callable[[Tensor], Tensor]:
        """x ↦ g(x), (n, *shape) → (n, *shape), with weights that are limited once for all calls.

        Iterations call it often, so β and 1.1 are multiplied into the weights: u σ(βu) = silu(βu) / β.
        """
        layers = [layer for layer in self.layers if isinstance(layer, _Layer)]
        steepness = [0.01 + F.softplus(s) for s in self.steepness.unbind()]
        one = torch.ones_like(steepness[0])
        before, after = [*steepness, one], [one, *(1.1 * s for s in steepness)]
        weights = [
            (layer.limited(self.limit) * (b / a), layer.bias * b)
            for layer, b, a in zip(layers, before, after, strict=True)
        ]

        def g(x: Tensor) -> Tensor:
            for layer, pair in zip(layers[:-1], weights[:-1], strict=True):
                x = F.silu(layer.apply_weight(x, *pair))
            return layers[-1].apply_weight(x, *weights[-1])

        return g
