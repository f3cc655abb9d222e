"""Spectral normalisation of stacked perceptrons to a chosen constant (Miyato et al. 2018).

A perceptron of n layers with 1-Lipschitz activations has constant ≤ Π σ_i. Each weight is rescaled to spectral norm
L^{1/n}, so the whole is L-Lipschitz; L = ∞ leaves a trial as it is, so constrained and free trials share a pack.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import normalize

from trainables.training.stack import Stack

__all__ = ["SpectralNormalisation"]


class SpectralNormalisation:
    """Rescales the weight matrices of T stacked networks.

    σ is tracked by one power iteration per training step from a vector u that is kept with the parameters. It lags
    from below by a few percent a layer, so that a critic in training may exceed L a little; for evaluation σ is exact
    and L holds.
    """

    def __init__(self, stack: Stack, lipschitz: Tensor) -> None:
        """``lipschitz``: (T,), the constant L of every trial, ∞ for none."""
        self._rows = {name: shape[0] for name, shape in stack.shapes.items() if len(shape) == 2}
        self._free = torch.isinf(lipschitz)[:, None, None]
        # ∞ would make the gradient of the unused branch NaN, so a free trial's target is any number.
        finite = torch.where(torch.isinf(lipschitz), 1.0, lipschitz)
        self._target = finite.pow(1 / len(self._rows))[:, None, None]
        self.active = not bool(self._free.all())
        self.size = sum(self._rows.values())

    def initial(self, count: int, device: torch.device) -> Tensor:
        """(T, U) starting vectors u, the same for every trial."""
        generator = torch.Generator().manual_seed(0)
        return torch.randn(self.size, generator=generator).expand(count, -1).clone().to(device)

    def _rescale(self, weight: Tensor, sigma: Tensor) -> Tensor:
        return weight * torch.where(self._free, torch.ones_like(sigma), self._target / sigma)

    def apply(self, parameters: dict[str, Tensor], vectors: Tensor, update: bool) -> dict[str, Tensor]:
        """Normalised parameters for training; with ``update``, ``vectors`` (T, U) are iterated in place.

        σ ≈ uᵀWv with u, v held constant, so its gradient with respect to W is uvᵀ.
        """
        if not self.active:
            return parameters
        out = dict(parameters)
        pieces = vectors.split(list(self._rows.values()), dim=1)
        for name, u in zip(self._rows, pieces, strict=True):
            weight = parameters[name]  # (T, out, in)
            with torch.no_grad():
                v = normalize(torch.bmm(u.unsqueeze(1), weight), dim=-1)  # (T, 1, in)
                left = normalize(torch.bmm(weight, v.transpose(1, 2)), dim=1)  # (T, out, 1)
                if update:  # a free trial keeps its vector, so its state does not depend on its neighbours
                    u.copy_(torch.where(self._free.squeeze(-1), u, left.squeeze(-1)))
            sigma = torch.bmm(torch.bmm(left.transpose(1, 2), weight), v.transpose(1, 2))
            out[name] = self._rescale(weight, sigma)
        return out

    def exact(self, parameters: dict[str, Tensor]) -> dict[str, Tensor]:
        """Normalised parameters with σ from a singular value decomposition: the constant holds, certified."""
        if not self.active:
            return parameters
        out = dict(parameters)
        for name in self._rows:
            weight = parameters[name]
            out[name] = self._rescale(weight, _norm(weight)[:, None, None])
        return out

    def bound(self, parameters: dict[str, Tensor]) -> Tensor:
        """(T,) the product of exact spectral norms: an upper bound on each network's Lipschitz constant."""
        norms = [_norm(parameters[name]) for name in self._rows]
        return torch.stack(norms).prod(dim=0)


def _norm(weight: Tensor) -> Tensor:
    """Largest singular values (T,) of (T, out, in); a diverged trial, which has no norm, must not stop the others."""
    norm: Tensor = torch.linalg.matrix_norm(weight.nan_to_num(posinf=0.0, neginf=0.0), ord=2)
    return norm
