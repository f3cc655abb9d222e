"""Figure 4.13 of the thesis: how much of a Gaussian lies in a ball around its centre."""

from __future__ import annotations

from collections.abc import Sequence

from explorer.reproduce.drawing import lines
from explorer.reproduce.papers import THESIS
from explorer.reproduce.record import Panel, Reproduction

__all__ = ["DIMENSIONS", "FIGURES", "ball_masses"]

DIMENSIONS = {
    "m = 1": 1,
    "m = 2": 2,
    "m = 5": 5,
    "m = 20": 20,
    "MNIST, m = 784": 784,
    "CIFAR-10, m = 3072": 3072,
    "ImageNet, m = 116412": 116412,
}


def ball_masses() -> Sequence[Panel]:
    """Figure 4.13: the mass N(0, I_m) puts on the ball of radius R, over R."""
    import torch

    from trainables.precision_recall import latent_ball_mass

    radius = torch.logspace(-1, 3, 801, dtype=torch.float64)
    curves = {title: latent_ball_mass(radius, m).numpy() for title, m in DIMENSIONS.items()}
    figure = lines(radius.numpy(), curves, "radius R", "mass within R of 0", (-0.03, 1.03))
    ticks = [0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000]
    figure.update_xaxes(type="log", tickvals=ticks, ticktext=[f"{tick:g}" for tick in ticks])
    caption = (
        "The mass of N(0, I_m) within R of 0, γ(m/2, R²/2)/Γ(m/2). It falls with the dimension, and in high "
        "dimensions jumps from 0 to 1 at R = √m (28, 55 and 341 for the three datasets): there a Lipschitz constant "
        "that is off by a little decides everything. The small dimensions are our choice; 116412 is as printed."
    )
    return [Panel(figure, caption)]


FIGURES = (
    Reproduction(
        "thesis-4.13",
        THESIS,
        "Figure 4.13, page 72",
        "A Gaussian in a ball, from 1 to 116,412 dimensions",
        ball_masses,
    ),
)
