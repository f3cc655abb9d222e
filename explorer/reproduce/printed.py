"""Every figure and every table that the papers print, and what became of it here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from explorer.reproduce.papers import DJOLONGA, SAJJADI, SIMON, THESIS

__all__ = ["PRINTED", "Printed", "Status"]


class Status(StrEnum):
    """What became of a figure or table."""

    REPRODUCED = "reproduced"
    SWEEP = "reads a trained sweep"
    FORMULAS = "formulas, in code"
    SCHEMATIC = "schematic"
    GPU = "needs a GPU"
    DATA = "needs data we cannot have"


@dataclass(frozen=True)
class Printed:
    """A figure or table of a paper.

    Attributes:
        paper: one of ``explorer.reproduce.papers``.
        label: as printed, e.g. ``Figure 3.2``.
        what: what it shows, in a few words.
        status: what became of it.
        entry: the name of its reproduction; for formulas, the module that has them; else nothing.
        note: what stands in for what, or what is missing.
    """

    paper: str
    label: str
    what: str
    status: Status
    entry: str | None = None
    note: str = ""


def _thesis(number: str, what: str, note: str = "") -> Printed:
    """A figure of the thesis that is reproduced."""
    return Printed(THESIS, f"Figure {number}", what, Status.REPRODUCED, f"thesis-{number.lower()}", note)


def _figure(paper: str, number: str, what: str, entry: str, note: str = "") -> Printed:
    """A figure of another paper that is reproduced."""
    return Printed(paper, f"Figure {number}", what, Status.REPRODUCED, entry, note)


def _trained(number: str, what: str, preset: str) -> Printed:
    """A figure of the thesis that shows the trained models of a preset."""
    return Printed(
        THESIS, f"Figure {number}", what, Status.SWEEP, f"thesis-{number.lower()}", f"preset {preset}"
    )


def _schematic(paper: str, label: str, what: str) -> Printed:
    return Printed(paper, label, what, Status.SCHEMATIC)


def _without(paper: str, label: str, what: str, status: Status, note: str) -> Printed:
    """What cannot be shown, and what is missing for it."""
    return Printed(paper, label, what, status, None, note)


DIVERGENCES = "trainables.divergences.closed_forms"
BIGGAN = "CIFAR-10, CelebA; presets cifar10-biggan and celeba-biggan"

THESIS_FIGURES = (
    _without(
        THESIS, "Figure 1.1", "samples of DALL-E and Midjourney", Status.DATA, "images of commercial services"
    ),
    _without(
        THESIS,
        "Figure 1.2",
        "two models of MNIST, with FID and IS",
        Status.DATA,
        "MNIST and the trained models",
    ),
    _schematic(THESIS, "Figure 2.1", "a generative model on the line"),
    _thesis("2.2", "hard and soft truncation"),
    _schematic(THESIS, "Figure 2.3", "the structure of a GAN"),
    _schematic(THESIS, "Figure 2.4", "the structure of an f-GAN"),
    _schematic(THESIS, "Figure 2.5", "the two directions of a normalizing flow"),
    _schematic(THESIS, "Figure 2.6", "the change of variables of a normalizing flow"),
    _without(
        THESIS,
        "Figure 3.1",
        "StyleGAN under several truncations",
        Status.DATA,
        "samples of another paper's model",
    ),
    _thesis("3.2", "two laws in the plane and their supports"),
    _thesis("3.3", "support-based precision from samples"),
    _thesis("3.4", "what P and P̂ share, and what they do not"),
    _thesis("3.5", "the set PR(P, P̂) and its curve"),
    _thesis("3.6", "high recall, low precision"),
    _thesis("3.7", "high precision, low recall"),
    _thesis("3.8", "α_λ as areas, high recall"),
    _thesis("3.9", "β_λ as areas, high precision"),
    _thesis("3.10", "discrete laws and their curves"),
    _thesis("3.11", "two estimates of the curves of two models", "scikit-learn's digits for MNIST"),
    _thesis("3.12", "density and coverage with one outlier on each side"),
    _thesis("3.13", "divergence frontiers of a law with high diversity"),
    _schematic(THESIS, "Figure 3.14", "links between definitions in the literature"),
    _thesis("4.1", "f-divergences over μ and σ"),
    _thesis("4.2", "mode seeking and mass covering"),
    _thesis("4.3", "how each divergence prices a ratio"),
    _thesis("4.4", "the generator f_λ"),
    _thesis("4.5", "every point of the curve is a divergence"),
    _thesis("4.6", "PR-divergences over μ and σ"),
    _thesis("4.7", "the models that minimise them"),
    _thesis("4.8", "the curves of these models"),
    _schematic(THESIS, "Figure 4.9", "links between measures, with the contributions"),
    _thesis("4.10", "weights of KL, reverse KL and JS on α_λ"),
    _schematic(THESIS, "Figure 4.11", "a target to which theorem 4.4.3 applies"),
    _without(
        THESIS,
        "Figure 4.12",
        "G(0) of trained residual flows",
        Status.DATA,
        "the trained models; MNIST, CIFAR-10",
    ),
    _thesis("4.13", "the Gaussian mass of a ball, by dimension"),
    _thesis("5.1", "activations and conjugates of KL, χ² and GAN"),
    _thesis("5.2", "activation and conjugate of the PR-divergence"),
    _thesis(
        "5.3",
        "the naive approach beside the proposed one",
        "a small GAN on 8 Gaussians for BigGAN on CIFAR-10",
    ),
    _schematic(THESIS, "Figure 5.4", "how a PR-GAN is trained"),
    _thesis("5.5", "Bregman divergences of KL and χ²"),
    _thesis("5.6", "primal estimates on random mixtures in the plane"),
    _trained("5.7", "models of 8 Gaussians for several λ", "gaussians-8-small"),
    _trained("5.8", "the curves of these models", "gaussians-8-small"),
    _without(THESIS, "Figure 5.9", "FID, P and R of GLOW on MNIST", Status.DATA, "MNIST; preset mnist-glow"),
    _without(THESIS, "Figure 5.10", "samples of GLOW on MNIST", Status.DATA, "MNIST; preset mnist-glow"),
    _trained("5.11", "FID, P and R of GLOW on Fashion-MNIST", "fashion-glow-small"),
    _trained("5.12", "samples of GLOW on Fashion-MNIST", "fashion-glow-small"),
    _without(THESIS, "Figure 5.13", "samples of BigGAN for several λ", Status.DATA, BIGGAN),
    _without(THESIS, "Figure 5.14", "precision and recall during training", Status.DATA, BIGGAN),
    _thesis("6.1", "rejection sampling on the line"),
    _thesis("6.2", "discriminator rejection sampling (DRS)"),
    _thesis("6.3", "DRS beside optimal budgeted rejection (OBRS)"),
    _thesis("6.4", "divergences after DRS and OBRS, by budget"),
    _thesis("6.5", "bounds on the divergences after OBRS"),
    _thesis("6.6", "curves after rejection"),
    _thesis("6.7", "five refinements of a GAN on 25 Gaussians"),
    _thesis("6.8", "precision and recall by computing time"),
    _thesis("6.9", "OBRS beside DRS on a trained GAN", "one proposal by acceptance rate, for several"),
    _thesis("6.10", "DOT and DGflow with large budgets"),
    _without(
        THESIS,
        "Figure 6.11",
        "OBRS beside DRS on BigGAN",
        Status.DATA,
        "CelebA; preset celeba-biggan-budgets",
    ),
    _schematic(THESIS, "Figure 6.12", "training the refined law"),
    _thesis("6.13", "rejection flattens the landscape"),
    _thesis("6.14", "the landscape of a GAN on MNIST", "Fashion-MNIST for MNIST; from a stored result"),
    _thesis("6.15", "training through rejection"),
    _without(THESIS, "Figure 6.16", "FID while BigGAN is trained through OBRS", Status.DATA, "CelebA"),
    _without(THESIS, "Figure 6.17", "how often c_K is updated", Status.DATA, "CIFAR-10"),
    _schematic(THESIS, "Figure 7.1", "a pathological case for fairness"),
    _schematic(THESIS, "Figure A.2.1", "a target to which theorem A.2.1 applies"),
    _thesis("B.1.1", "how the conjugate of f_λ is computed"),
)

THESIS_TABLES = (
    _without(
        THESIS, "Table 1.1", "measures of the models of Figure 1.2", Status.DATA, "MNIST, the trained models"
    ),
    Printed(THESIS, "Table 2.1", "common f-divergences", Status.FORMULAS, DIVERGENCES),
    Printed(THESIS, "Table 2.2", "their Fenchel conjugates", Status.FORMULAS, DIVERGENCES),
    _schematic(THESIS, "Table 3.1", "the confusion matrix"),
    Printed(
        THESIS,
        "Table 3.2",
        "summaries of the models of Figure 3.11",
        Status.REPRODUCED,
        "thesis-3.11",
        "scikit-learn's digits for MNIST",
    ),
    Printed(THESIS, "Table 5.1", "activations of f-GANs", Status.FORMULAS, DIVERGENCES),
    _without(THESIS, "Table 5.2", "BigGAN trained for several λ", Status.DATA, BIGGAN),
    _without(THESIS, "Table 5.3", "BigGAN fine-tuned for several λ", Status.DATA, "ImageNet, FFHQ"),
    Printed(
        THESIS,
        "Table 6.1",
        "refinements on 25 Gaussians",
        Status.REPRODUCED,
        "thesis-table-6.1",
        "a trained model comes along",
    ),
    _without(THESIS, "Table 6.2", "OBRS on a diffusion model", Status.DATA, "CIFAR-10, the trained models"),
    _without(THESIS, "Table 6.3", "BigGAN trained through OBRS", Status.DATA, "CIFAR-10, CelebA"),
    _without(THESIS, "Table 6.4", "BigGAN fine-tuned through OBRS", Status.DATA, "ImageNet and others"),
)

SAJJADI_FIGURES = (
    _without(
        SAJJADI, "Figure 1", "GANs of equal FID, told apart", Status.DATA, "MNIST, CelebA, the trained models"
    ),
    _figure(SAJJADI, "2", "examples of P and Q", "sajjadi-2"),
    _figure(SAJJADI, "3", "their sets PRD(Q, P)", "sajjadi-3"),
    _figure(SAJJADI, "4", "the algorithm", "sajjadi-4"),
    _figure(SAJJADI, "5, left", "IS and FID by classes", "sajjadi-5-left", "Fashion-MNIST for CIFAR-10"),
    _figure(SAJJADI, "5, middle", "PRD by classes", "sajjadi-5", "Fashion-MNIST for CIFAR-10"),
    _without(
        SAJJADI, "Figure 5, right", "PRD of sentences by topics", Status.DATA, "MultiNLI and its embedding"
    ),
    _without(SAJJADI, "Figure 6", "two GANs of FID 49", Status.DATA, "MNIST, the trained models"),
    _without(
        SAJJADI,
        "Figure 7",
        "F_1/8 and F_8 of many GANs and VAEs",
        Status.GPU,
        "a large number of models of Fashion-MNIST",
    ),
    _without(SAJJADI, "Figure 8", "two collapsed GANs", Status.DATA, "MNIST, the trained models"),
    _without(
        SAJJADI, "Figure 9", "clusters of real and generated images", Status.DATA, "MNIST, CIFAR-10, CelebA"
    ),
    _without(SAJJADI, "Figure 10", "F_1/8 and F_8 beside supervised measures", Status.DATA, "MNIST"),
    _figure(
        SAJJADI, "11", "Figure 5 for MNIST and Fashion-MNIST", "sajjadi-11", "scikit-learn's digits for MNIST"
    ),
    _without(SAJJADI, "Figure 12", "Figure 7 for other data", Status.DATA, "MNIST, CIFAR-10, CelebA"),
)

SIMON_FIGURES = (
    _figure(SIMON, "1", "modes invented, dropped, and both", "simon-1"),
    _figure(SIMON, "2", "curves by clusters and by classifiers", "simon-2", "Fashion-MNIST for CIFAR-10"),
    _without(SIMON, "Figure 3", "80 classes with some in common", Status.DATA, "ImageNet"),
    _without(SIMON, "Figure 4", "faces, of which Q has one kind", Status.DATA, "CelebA"),
    _without(SIMON, "Figure 5", "curves of popular GANs", Status.DATA, "CelebA-HQ, the trained models"),
    _without(SIMON, "Figure 6", "curves of BigGAN", Status.DATA, "ImageNet, the trained model"),
)

DJOLONGA_FIGURES = (
    _figure(DJOLONGA, "1", "uniform and categorical laws", "djolonga-1"),
    _figure(DJOLONGA, "2", "Rényi divergences of Gaussians", "djolonga-2"),
    _figure(DJOLONGA, "3", "discrete frontiers as walks", "djolonga-3"),
    _figure(DJOLONGA, "4", "the points of PRD on the simplex", "djolonga-4"),
    _figure(DJOLONGA, "5", "supports that see no difference", "djolonga-5"),
    _figure(DJOLONGA, "6", "biases of quantising", "djolonga-6"),
    _figure(DJOLONGA, "7", "Gaussian approximations", "djolonga-7"),
)

PRINTED: Sequence[Printed] = (
    *THESIS_FIGURES,
    *THESIS_TABLES,
    *SAJJADI_FIGURES,
    *SIMON_FIGURES,
    *DJOLONGA_FIGURES,
)
"""All of them, paper by paper, figures before tables, in the order of their numbers."""
