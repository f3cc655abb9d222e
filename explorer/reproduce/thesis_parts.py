"""Figures 3.4 to 3.7 of the thesis: what two laws share, and the set of all attainable precisions and recalls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from explorer.reproduce.drawing import Array
from explorer.reproduce.panes import (
    COMMON,
    MODEL,
    PRECISION,
    REAL,
    area,
    curve,
    dots,
    pr_axes,
    pr_set,
    side_by_side,
)
from explorer.reproduce.papers import THESIS
from explorer.reproduce.record import Panel, Reproduction

if TYPE_CHECKING:
    from trainables.sources.mixture import GaussianMixture

__all__ = ["FIGURES", "X", "attainable_set", "common_part", "density_of", "diverse", "full_curve", "precise"]

X = np.linspace(-13, 13, 521)
LAWS = {
    "P": "0.6 N(-3.5, 1) + 0.4 N(3.5, 1)",
    "misweighted": "0.25 N(-3, 1.4²) + 0.75 N(2.5, 1.4²)",
    "diverse": "N(0, 5²)",
    "precise": "N(-3, 0.6²)",
}
DRAWN = 400


def common_part() -> Sequence[Panel]:
    """Figure 3.4: μ, ν_P and ν_P̂ at λ = 1."""
    import torch

    from trainables.studies.gaussian_fit import TARGET
    from trainables.studies.line_models import MISWEIGHTED
    from trainables.studies.parts import parts

    p, q, step = density_of(TARGET), density_of(MISWEIGHTED), X[1] - X[0]
    split = parts(torch.from_numpy(p * step), torch.from_numpy(q * step), 1.0)
    common = split.recall * split.common.numpy() / step
    figure = side_by_side(
        (
            "P = βμ + (1-β)ν<sub>P</sub>,  P̂ = αμ + (1-α)ν<sub>P̂</sub>",
            "the laws μ, ν<sub>P</sub>, ν<sub>P̂</sub>",
        ),
        380,
    )
    figure.add_trace(area(X, p, "(1-β)ν<sub>P</sub>: missed", REAL, 0.45), row=1, col=1)
    figure.add_trace(area(X, q, "(1-α)ν<sub>P̂</sub>: invented", PRECISION, 0.35), row=1, col=1)
    figure.add_trace(area(X, common, "βμ = αμ: common", COMMON, 1.0), row=1, col=1)
    for masses, share, name, colour in (
        (split.common, 1.0, "μ", COMMON),
        (split.missed, 1 - split.recall, "ν<sub>P</sub>", REAL),
        (split.invented, 1 - split.precision, "ν<sub>P̂</sub>", PRECISION),
    ):
        figure.add_trace(curve(X, masses.numpy() / step / share, name, colour), row=1, col=2)
    _line_axes(figure, (1, 2))
    caption = (
        f"At λ = 1 the common part min(p, p̂) has the mass α₁ = β₁ = {split.precision:.3f}; what is left of P is lost "
        "recall, what is left of P̂ lost precision. Both laws are positive everywhere, so precision and recall of the "
        f"supports are 1. P = {LAWS['P']}, P̂ = {LAWS['misweighted']}: the thesis does not print its laws."
    )
    return [Panel(figure, caption)]


def attainable_set() -> Sequence[Panel]:
    """Figure 3.5: PR(P, P̂), its boundary, and pairs that common parts drawn at random attain."""
    from trainables.studies.line_models import MISWEIGHTED

    alpha, beta = full_curve(MISWEIGHTED)
    figure = side_by_side(("the set PR(P, P̂) and its curve PRD(P, P̂)",), 470)
    figure.add_trace(pr_set(alpha, beta), row=1, col=1)
    faint = {"opacity": 0.8, "line": {"width": 0}}
    figure.add_trace(
        dots(_random_pairs(MISWEIGHTED), f"{DRAWN} random μ", REAL, 4, marker=faint), row=1, col=1
    )
    figure.add_trace(curve(alpha, beta, "PRD(P, P̂)", MODEL), row=1, col=1)
    pr_axes(figure, 1)
    caption = (
        f"The laws of figure 3.4. A law μ attains at most α = min p̂/μ and β = min p/μ: the dots are {DRAWN} of "
        "them, the best ones min(p, p̂/λ) disturbed at random. None is above the curve, which the undisturbed ones "
        "make up."
    )
    return [Panel(figure, caption)]


def diverse() -> Sequence[Panel]:
    """Figure 3.6: high recall, low precision."""
    from trainables.studies.line_models import DIVERSE

    return [
        _law_and_set(
            DIVERSE, "diverse", "covers P and much else: recall stays near 1 long, precision does not"
        )
    ]


def precise() -> Sequence[Panel]:
    """Figure 3.7: high precision, low recall."""
    from trainables.studies.line_models import PRECISE

    return [
        _law_and_set(
            PRECISE, "precise", "sits on one mode of P: precision stays near 1 long, recall does not"
        )
    ]


def density_of(law: GaussianMixture) -> Array:
    """The density on X."""
    import torch

    from trainables.studies.line import density

    return np.asarray(density(law, torch.as_tensor(X)).exp())


def full_curve(model: GaussianMixture) -> tuple[Array, Array]:
    """(α_λ, β_λ) of the model against the target, for λ from 0 to ∞."""
    from trainables.precision_recall import equiangular_grid
    from trainables.studies.line_models import line_curve

    found = line_curve(model, np.concatenate([[0.0], equiangular_grid(401).numpy(), [np.inf]]))
    return found.precision, found.recall


def _law_and_set(model: GaussianMixture, name: str, words: str) -> Panel:
    from trainables.studies.gaussian_fit import TARGET

    figure = side_by_side(("P and P̂", "PR(P, P̂)"), 400, (0.58, 0.42))
    figure.add_trace(area(X, density_of(TARGET), "P", REAL, 0.3), row=1, col=1)
    figure.add_trace(curve(X, density_of(model), "P̂", MODEL), row=1, col=1)
    alpha, beta = full_curve(model)
    figure.add_trace(pr_set(alpha, beta), row=1, col=2)
    figure.add_trace(curve(alpha, beta, "PRD(P, P̂)", MODEL, showlegend=False), row=1, col=2)
    _line_axes(figure, (1,))
    pr_axes(figure, 2)
    at_90 = float(np.interp(0.9, alpha, beta)), float(np.interp(0.9, beta[::-1], alpha[::-1]))
    caption = (
        f"P̂ = {LAWS[name]} {words}. At precision 0.9 recall is {at_90[0]:.2f}, at recall 0.9 precision is "
        f"{at_90[1]:.2f}. Both laws are positive everywhere, so the curve ends at 1 on either axis. P = "
        f"{LAWS['P']}; the thesis does not print its laws."
    )
    return Panel(figure, caption)


def _random_pairs(model: GaussianMixture) -> Array:
    """(α, β) of common parts μ ∝ min(p, q/λ)·e^{g}, λ log-uniform and g a smooth random function, (n, 2)."""
    import torch

    from trainables.precision_recall import log_between
    from trainables.studies.line_models import line_masses
    from trainables.studies.parts import attained

    x, p, q = line_masses(model, nodes=801)
    generator = torch.Generator().manual_seed(0)
    lam = 10 ** (3 * torch.rand(DRAWN, generator=generator, dtype=torch.float64) - 1.5)
    size, place, phase = torch.rand(3, DRAWN, 1, generator=generator, dtype=torch.float64)
    wave = 1.6 * size**2 * torch.sin((0.15 + place) * x + 6.3 * phase)
    log_mu = log_between(p.log(), q.log(), -torch.inf, lam) + wave
    alpha, beta = attained(p, q, log_mu.softmax(-1))
    return torch.stack([alpha, beta], dim=-1).numpy()


def _line_axes(figure: go.Figure, columns: Sequence[int]) -> None:
    for col in columns:
        figure.update_xaxes(title_text="x", range=[-13, 13], row=1, col=col)
        figure.update_yaxes(rangemode="tozero", row=1, col=col)
    figure.update_yaxes(title_text="density", row=1, col=1)


FIGURES = (
    Reproduction(
        "thesis-3.4", THESIS, "Figure 3.4, page 38", "The common part of two laws, and the rest", common_part
    ),
    Reproduction(
        "thesis-3.5", THESIS, "Figure 3.5, page 38", "Every attainable precision and recall", attainable_set
    ),
    Reproduction("thesis-3.6", THESIS, "Figure 3.6, page 39", "High recall, low precision", diverse),
    Reproduction("thesis-3.7", THESIS, "Figure 3.7, page 39", "High precision, low recall", precise),
)
