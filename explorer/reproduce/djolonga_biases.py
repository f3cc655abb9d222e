"""Figures 6 and 7 of Djolonga et al. 2020: what quantising, few samples and Gaussian fits do to frontiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from explorer.reproduce.djolonga_simplex import precision_and_recall
from explorer.reproduce.grids import MODEL, REAL, TRUTH, Cell, Grid, shades
from explorer.reproduce.papers import DJOLONGA
from explorer.reproduce.record import Panel, Reproduction

if TYPE_CHECKING:
    from torch import Generator, Tensor

    from trainables.precision_recall import Frontier
    from trainables.precision_recall.frontiers import Kind
    from trainables.sources import GaussianMixture

__all__ = ["FIGURES", "gaussian_fits", "quantising"]

ORDER = 1.0
BUCKETS = (2, 4, 8, 16)
SAMPLES = (30, 100, 1000)
DRAWS = 4
FINE = 64
"""Buckets into which samples are counted in Figure 6 (c)."""
SPAN = (-5.0, 5.0)
TILTS = 81


def quantising() -> Sequence[Panel]:
    """Figure 6: too few buckets flatter, too few samples per bucket do the opposite."""
    import torch

    p, q = _mixture({-1.9: 0.6, 1.0: 0.4}, 0.7), _mixture({-0.9: 0.35, 1.7: 0.65}, 0.7)
    grid = Grid(
        ["(a) the laws", "(b) coarse buckets", f"(c) few samples, {FINE} buckets"], height=420, gap=0.06
    )
    _laws(grid.cell(0), {"P": (p, REAL), "Q": (q, MODEL)})
    truth = _inclusive(p.cell_masses(_edges(2048)), q.cell_masses(_edges(2048)))
    coarse, few = grid.cell(1), grid.cell(2)
    for buckets, colour in zip(BUCKETS, shades(len(BUCKETS)), strict=True):
        edges = _edges(buckets)
        found = _inclusive(p.cell_masses(edges), q.cell_masses(edges))
        coarse.line(*precision_and_recall(found), f"{buckets} buckets", colour)
    generator = torch.Generator().manual_seed(1)
    edges = _edges(FINE)
    for samples, colour in zip(SAMPLES, shades(len(SAMPLES)), strict=True):
        for _ in range(DRAWS):
            counts = [_counts(law, samples, edges, generator) for law in (p, q)]
            found = _inclusive(*(count / samples for count in counts))
            few.line(*precision_and_recall(found), f"{samples} samples", colour, width=1.3)
    for cell in (coarse, few):
        cell.line(*precision_and_recall(truth), "exact frontier", TRUTH, width=3, dash="dash")
        _square(cell, "·‖R")
    caption = (
        "The inclusive frontier of order 1 as e to minus the divergence: up and right is better. (b) The laws "
        "quantised into buckets, with exact masses: the fewer, the more flattering, always above the truth "
        f"(Proposition 8). (c) Masses counted from samples in {FINE} buckets, {DRAWS} draws each: with few samples "
        "per bucket the frontier moves about and lies below. The paper prints neither laws nor order; these are ours."
    )
    return [Panel(grid.figure, caption)]


def gaussian_fits() -> Sequence[Panel]:
    """Figure 7: frontiers of Gaussians fitted to laws that are none."""
    from trainables.precision_recall import frontier_discrete, frontier_gaussian
    from trainables.studies import Line, density

    line = Line.around(0.0, 2.0, 30.0, 1001)
    p, q = _mixture({-4.0: 0.1, 0.0: 0.8, 4.0: 0.1}, 0.5), _mixture({0.3: 0.5, 0.7: 0.5}, 0.5)
    masses = [line.masses(density(law, line.x)) for law in (p, q)]
    moments = [_moments(line.x, mass) for mass in masses]
    fits = [_mixture({mean: 1.0}, variance**0.5) for mean, variance in moments]
    fitted = [line.masses(density(law, line.x)) for law in fits]
    closed = [([mean], [[variance]]) for mean, variance in moments]
    grid = Grid(["(a) the laws and their fits", "(b) exclusive", "(c) inclusive"], height=430, gap=0.06)
    _laws(
        grid.cell(0),
        {"P": (p, REAL), "Q": (q, MODEL)},
        {"Gaussian fit of P": fits[0], "Gaussian fit of Q": fits[1]},
    )
    kinds: tuple[tuple[int, Kind, str], ...] = ((1, "exclusive", "R‖·"), (2, "inclusive", "·‖R"))
    for i, kind, sign in kinds:
        cell = grid.cell(i)
        curves: dict[str, tuple[Frontier, str, str]] = {
            "exact frontier": (frontier_discrete(masses[0], masses[1], ORDER, kind, _tilts()), TRUTH, "dash"),
            "P and Q fitted": (
                frontier_discrete(fitted[0], fitted[1], ORDER, kind, _tilts()),
                "#009e73",
                "solid",
            ),
        }
        if kind == "inclusive":
            inside = frontier_gaussian(*closed[0], *closed[1], kind, _tilts())
            curves["P and Q fitted, R a Gaussian too"] = (inside, "#d55e00", "solid")
        for name, (frontier, colour, dash) in curves.items():
            cell.line(
                *precision_and_recall(frontier), name, colour, dash=dash, width=3 if dash == "dash" else 2.2
            )
        _square(cell, sign)
    caption = (
        "Order 1, as e to minus the divergence. (a) P has two small modes far away, which widen its Gaussian fit. "
        "(b) The exclusive frontier of the fits is worse than the truth: fitting is not always flattering. A "
        "Gaussian R gives the same curve, since between Gaussians the best R is one (Proposition 4). (c) For the "
        "inclusive frontier the best R is a mixture; kept Gaussian, it makes matters worse. The laws are ours."
    )
    return [Panel(grid.figure, caption)]


def _mixture(modes: Mapping[float, float], sigma: float) -> GaussianMixture:
    import torch

    from trainables.sources import GaussianMixture

    means = torch.tensor(list(modes), dtype=torch.float64)[:, None]
    return GaussianMixture(means, torch.tensor(list(modes.values()), dtype=torch.float64), sigma)


def _edges(buckets: int) -> Tensor:
    """Edges of equal buckets, shape (buckets + 1,); the first and the last bucket reach out to infinity."""
    import torch

    inner = torch.linspace(*SPAN, buckets + 1, dtype=torch.float64)[1:-1]
    ends = torch.tensor([torch.inf], dtype=torch.float64)
    return torch.cat([-ends, inner, ends])


def _counts(law: GaussianMixture, samples: int, edges: Tensor, generator: Generator) -> Tensor:
    """How many of ``samples`` fresh ones fall into each bucket, shape (buckets,)."""
    import torch

    uniform = torch.rand(samples, generator=generator, dtype=torch.float64)
    normal = torch.randn(samples, 1, generator=generator, dtype=torch.float64)
    which = torch.searchsorted(edges[1:-1].contiguous(), law.transform(uniform, normal)[:, 0].contiguous())
    return torch.bincount(which, minlength=len(edges) - 1).double()


def _moments(x: Tensor, masses: Tensor) -> tuple[float, float]:
    """Mean and variance of masses on x: those of the Gaussian of largest likelihood."""
    mean = float((masses * x).sum())
    return mean, float((masses * (x - mean).square()).sum())


def _inclusive(p: Tensor, q: Tensor) -> Frontier:
    from trainables.precision_recall import frontier_discrete

    return frontier_discrete(p / p.sum(), q / q.sum(), ORDER, "inclusive", _tilts())


def _tilts() -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.exp(np.linspace(-7, 7, TILTS))


def _laws(
    cell: Cell,
    laws: Mapping[str, tuple[GaussianMixture, str]],
    fits: Mapping[str, GaussianMixture] | None = None,
) -> None:
    import torch

    from trainables.studies import density

    x = torch.linspace(-5.5, 5.5, 331, dtype=torch.float64)
    for name, (law, colour) in laws.items():
        cell.density(x.numpy(), density(law, x).exp().numpy(), name, colour)
    for (name, law), colour in zip((fits or {}).items(), (REAL, MODEL), strict=False):
        cell.line(x.numpy(), density(law, x).exp().numpy(), name, colour, dash="dot", width=2)
    cell.axes({"title": {"text": "x"}}, {"title": {"text": "density"}})


def _square(cell: Cell, sign: str) -> None:
    cell.unit_square(f"precision, e<sup>-D({sign})</sup>", f"recall, e<sup>-D({sign})</sup>")


FIGURES = (
    Reproduction(
        "djolonga-6",
        DJOLONGA,
        "Figure 6 (its page depends on the edition)",
        "Coarse buckets flatter, few samples do not",
        quantising,
    ),
    Reproduction(
        "djolonga-7",
        DJOLONGA,
        "Figure 7 (its page depends on the edition)",
        "Gaussian fits can look worse than the truth",
        gaussian_fits,
    ),
)
