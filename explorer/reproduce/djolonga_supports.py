"""Figure 5 of Djolonga et al. 2020: laws that differ much and have perfect support-based precision and recall."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from explorer.reproduce.grids import MODEL, REAL, TRUTH, Grid
from explorer.reproduce.papers import DJOLONGA
from explorer.reproduce.record import Compared, Panel, Reproduction

__all__ = ["FIGURES", "equal_supports"]

PLACES = (-2.0, 2.0)
WEIGHTS = (0.93, 0.07)
SIGMA = 0.6
SAMPLES = 2000
NEIGHBOURS = 5


def equal_supports() -> Sequence[Panel]:
    """Two mixtures with exchanged weights: their exact curve, and the scores of k-nearest-neighbour supports."""
    import torch

    from trainables.measures import precision_recall_density_coverage
    from trainables.precision_recall import curve_quadrature, equiangular_grid
    from trainables.sources import GaussianMixture
    from trainables.studies import density

    means = torch.tensor(PLACES, dtype=torch.float64)[:, None]
    p, q = (
        GaussianMixture(means, torch.tensor(w, dtype=torch.float64), SIGMA) for w in (WEIGHTS, WEIGHTS[::-1])
    )
    generator = torch.Generator().manual_seed(0)
    real, fake = (
        law.transform(
            torch.rand(SAMPLES, generator=generator, dtype=torch.float64),
            torch.randn(SAMPLES, 1, generator=generator, dtype=torch.float64),
        )
        for law in (p, q)
    )
    scores = precision_recall_density_coverage(real, fake, NEIGHBOURS)
    curve = curve_quadrature(
        lambda x: density(p, x), lambda x: density(q, x), (-8.0, 8.0), equiangular_grid(201)
    )
    grid = Grid(["the laws", "what they are given"], height=400)
    laws, plane = grid.cell(0), grid.cell(1)
    x = torch.linspace(-4.5, 4.5, 301, dtype=torch.float64)
    laws.density(x.numpy(), density(p, x).exp().numpy(), "P", REAL)
    laws.density(x.numpy(), density(q, x).exp().numpy(), "Q", MODEL)
    laws.axes({"title": {"text": "x"}}, {"title": {"text": "density"}})
    plane.set_below(np.asarray(curve.precision), np.asarray(curve.recall), "PR curve, exact", TRUTH)
    plane.point(
        (scores.precision, scores.recall),
        "k-nearest-neighbour precision and recall",
        "#d55e00",
        symbol="star",
    )
    plane.unit_square()
    middle = float(curve.precision[100])
    caption = (
        f"Two modes with the weights {WEIGHTS[0]:g} and {WEIGHTS[1]:g}, exchanged between P and Q. Both laws have "
        "mass everywhere the other has, and that is all the supports of Kynkäänniemi et al. see: "
        f"{SAMPLES} samples each, balls to the {NEIGHBOURS}th neighbour. The PR curve sees the weights: at λ = 1 "
        f"precision and recall are {middle:.2f}. The paper draws a case without numbers; this one is ours."
    )
    numbers = [
        Compared("precision of the supports", "essentially perfect", f"{scores.precision:.3f}"),
        Compared("recall of the supports", "essentially perfect", f"{scores.recall:.3f}"),
    ]
    return [Panel(grid.figure, caption, numbers)]


FIGURES = (
    Reproduction(
        "djolonga-5",
        DJOLONGA,
        "Figure 5 (its page depends on the edition)",
        "Supports see no weights",
        equal_supports,
    ),
)
