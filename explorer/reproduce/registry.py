"""Every figure that can be reproduced, in the order of the papers. A new one joins by a line."""

from __future__ import annotations

from collections.abc import Sequence

from explorer.errors import UserError, shown
from explorer.reproduce import sajjadi, thesis_fits, thesis_functions, thesis_rejection
from explorer.reproduce.record import Reproduction
from trainables.nearest import nearest

__all__ = ["REPRODUCTIONS", "reproduction"]

THESIS = "Verine, Quality and Diversity in Generative Models through the lens of f-divergences, thesis, 2024"


REPRODUCTIONS: Sequence[Reproduction] = (
    Reproduction(
        "thesis-4.1",
        THESIS,
        "Figure 4.1, page 57",
        "One Gaussian, six divergences: the landscapes",
        thesis_fits.divergence_landscapes,
    ),
    Reproduction(
        "thesis-4.2",
        THESIS,
        "Figure 4.2, page 57",
        "Mode seeking against mass covering",
        thesis_fits.divergence_fits,
    ),
    Reproduction(
        "thesis-4.3",
        THESIS,
        "Figure 4.3, page 58",
        "How each divergence prices a ratio",
        thesis_functions.generators,
    ),
    Reproduction(
        "thesis-4.4",
        THESIS,
        "Figure 4.4, page 59",
        "The generator of the PR-divergence",
        thesis_functions.pr_generators,
    ),
    Reproduction(
        "thesis-4.5",
        THESIS,
        "Figure 4.5, page 61",
        "Every point of the curve is a divergence",
        thesis_functions.curve_as_divergences,
    ),
    Reproduction(
        "thesis-4.6",
        THESIS,
        "Figure 4.6, page 61",
        "One Gaussian, three trade-offs: the landscapes",
        thesis_fits.pr_landscapes,
    ),
    Reproduction(
        "thesis-4.7",
        THESIS,
        "Figure 4.7, page 62",
        "What λ makes of the same model",
        thesis_fits.pr_fits,
    ),
    Reproduction(
        "thesis-4.8",
        THESIS,
        "Figure 4.8, page 62",
        "The PR curves of the three models",
        thesis_fits.pr_fit_curves,
    ),
    Reproduction(
        "thesis-6.13",
        THESIS,
        "Figure 6.13, page 115",
        "Rejection flattens the landscape",
        thesis_rejection.flattening,
    ),
    Reproduction(
        "thesis-6.15",
        THESIS,
        "Figure 6.15, page 117",
        "Training through rejection covers more",
        thesis_rejection.training_through_rejection,
    ),
    Reproduction(
        "sajjadi-5",
        "Sajjadi et al., Assessing Generative Models via Precision and Recall, 2018",
        "Figure 5, middle (its page depends on the edition)",
        "Classes dropped and added",
        sajjadi.class_dropping,
    ),
)


def reproduction(name: str) -> Reproduction:
    """The reproduction of that name."""
    known = {entry.name: entry for entry in REPRODUCTIONS}
    if name not in known:
        hint = nearest(name, [*known, "all"], otherwise="; run `tradeoff reproduce` for the list")
        raise UserError(f"no figure is called {shown(name)}{hint}")
    return known[name]
