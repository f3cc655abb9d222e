"""Figure 2.2 of the thesis: hard and soft truncation of the latent law."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from explorer.figures.theme import CONTRAST
from explorer.reproduce.panes import (
    MODEL,
    PRECISION,
    REAL,
    area,
    curve,
    dots,
    equal_axes,
    pr_axes,
    side_by_side,
)
from explorer.reproduce.papers import THESIS
from explorer.reproduce.record import Panel, Reproduction

__all__ = ["FIGURES", "truncations"]

POINTS = 700
HARD, SOFT = 1.0, 0.6


def truncations() -> Sequence[Panel]:
    """The same latents before and after, in the plane, and the precision and recall that is left."""
    import torch

    from trainables.precision_recall import equiangular_grid
    from trainables.studies.truncation import (
        hard_curve,
        hard_density,
        hard_truncated,
        kept_mass,
        soft_curve,
        soft_density,
        soft_truncated,
    )

    generator = torch.Generator().manual_seed(0)
    first, second = torch.rand(2, POINTS, 2, generator=generator, dtype=torch.float64)
    z = torch.special.ndtri(first)
    kept = (z.abs() <= HARD).all(dim=1)
    hard = torch.where(z.abs() <= HARD, z, hard_truncated(second, HARD))
    figure = side_by_side(
        ("(a) z ~ Q, and the box", "(b) hard: z ~ Q̃", "(c) z ~ Q, and the scale", "(d) soft: z ~ Q̃"), 350
    )
    fed, left = "fed to the generator", "not fed to it"
    quiet = {"opacity": 0.75, "line": {"width": 0}}
    for col, points, name, colour in (
        (1, z[~kept], left, REAL),
        (1, z[kept], fed, MODEL),
        (2, hard, fed, MODEL),
        (3, z, left, REAL),
        (4, soft_truncated(z, SOFT), fed, MODEL),
    ):
        trace = dots(points.numpy(), name, colour, 4, marker=quiet, showlegend=col == 1, legendgroup=name)
        figure.add_trace(trace, row=1, col=col)
    for col, psi in ((1, HARD), (2, HARD), (3, 1.0), (4, SOFT)):
        figure.add_shape(
            type="rect" if col < 3 else "circle",
            x0=-psi,
            x1=psi,
            y0=-psi,
            y1=psi,
            line={"color": CONTRAST, "width": 1.8},
            row=1,
            col=col,
        )
        figure.update_xaxes(range=[-3.4, 3.4], dtick=2, title_text="z₁", row=1, col=col)
        figure.update_yaxes(range=[-3.4, 3.4], dtick=2, row=1, col=col)
        equal_axes(figure, col)
    figure.update_yaxes(title_text="z₂", row=1, col=1)
    lam = np.concatenate([[0.0], equiangular_grid(401).numpy(), [np.inf]])
    curves = {
        f"hard, ψ = {HARD:g}": (hard_curve(HARD, 2, lam), MODEL),
        f"soft, ψ = {SOFT:g}": (soft_curve(SOFT, 2, lam), PRECISION),
    }
    cost = side_by_side(("a coordinate of z", "precision and recall that are left"), 420)
    line = torch.linspace(-3.4, 3.4, 681, dtype=torch.float64)
    cost.add_trace(area(line.numpy(), soft_density(line, 1.0).numpy(), "Q", REAL, 0.3), row=1, col=1)
    for (name, (found, colour)), law in zip(
        curves.items(), (hard_density(line, HARD), soft_density(line, SOFT)), strict=True
    ):
        cost.add_trace(curve(line.numpy(), law.numpy(), name, colour, legendgroup=name), row=1, col=1)
        trace = curve(
            found.precision, found.recall, f"{name}, curve", colour, showlegend=False, legendgroup=name
        )
        cost.add_trace(trace, row=1, col=2)
    cost.update_xaxes(title_text="z₁", row=1, col=1)
    cost.update_yaxes(title_text="density", rangemode="tozero", row=1, col=1)
    pr_axes(cost, 2)
    mass = kept_mass(HARD, 2)
    return [
        Panel(
            figure,
            f"Left, hard truncation at ψ = {HARD:g}: a coordinate outside [-ψ, ψ] is drawn again, {1 - mass:.0%} "
            f"of the latents change. Right, soft truncation at ψ = {SOFT:g}: every latent shrinks to ψz; the "
            "circles have one standard deviation as their radius. Our text of the thesis does not show the "
            "pictures: ψ, the plane and what (a) and (c) show are ours.",
        ),
        Panel(
            cost,
            "Not printed: the exact PR curve of the truncated law against the untruncated one, the same for "
            "latents and for images where the generator is injective. Hard truncation keeps precision 1 and cuts "
            f"recall at the mass of the box, {mass:.3f}; soft truncation loses support nowhere and trades density.",
        ),
    ]


FIGURES = (
    Reproduction(
        "thesis-2.2", THESIS, "Figure 2.2, page 18", "Hard and soft truncation of the latents", truncations
    ),
)
