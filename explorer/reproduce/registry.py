"""Every figure and table that can be reproduced, in the order of the papers; one joins by a line of its module."""

from __future__ import annotations

import re
from collections.abc import Sequence

from explorer.errors import UserError
from explorer.reproduce import (
    djolonga_biases,
    djolonga_renyi,
    djolonga_sets,
    djolonga_simplex,
    djolonga_supports,
    sajjadi,
    sajjadi_classes,
    sajjadi_examples,
    simon,
    simon_classes,
    thesis_balls,
    thesis_bins,
    thesis_bregman,
    thesis_budgets,
    thesis_critics,
    thesis_estimates,
    thesis_fits,
    thesis_flows,
    thesis_frontiers,
    thesis_functions,
    thesis_naive,
    thesis_neighbours,
    thesis_parts,
    thesis_plane,
    thesis_primal,
    thesis_refined,
    thesis_refined_costs,
    thesis_rejection,
    thesis_shares,
    thesis_supports,
    thesis_table_61,
    thesis_trained,
    thesis_truncation,
    thesis_weights,
)
from explorer.reproduce.naming import named
from explorer.reproduce.papers import ORDER
from explorer.reproduce.record import Panel, Reproduction

__all__ = ["REPRODUCTIONS", "panels", "reproduction"]

MODULES = (
    djolonga_biases,
    djolonga_renyi,
    djolonga_sets,
    djolonga_simplex,
    djolonga_supports,
    sajjadi,
    sajjadi_classes,
    sajjadi_examples,
    simon,
    simon_classes,
    thesis_balls,
    thesis_bins,
    thesis_bregman,
    thesis_budgets,
    thesis_critics,
    thesis_estimates,
    thesis_fits,
    thesis_flows,
    thesis_frontiers,
    thesis_functions,
    thesis_naive,
    thesis_neighbours,
    thesis_parts,
    thesis_plane,
    thesis_primal,
    thesis_refined,
    thesis_refined_costs,
    thesis_rejection,
    thesis_shares,
    thesis_supports,
    thesis_table_61,
    thesis_trained,
    thesis_truncation,
    thesis_weights,
)


def _place(entry: Reproduction) -> tuple[int, list[tuple[int, str]]]:
    """By paper, then by the figure's number: 4.8 before 4.10; appendices after the chapters, tables after these."""
    parts = re.findall(r"[0-9]+|[a-z]+", entry.name.partition("-")[2])
    return ORDER.index(entry.paper), [(int(p), "") if p.isdigit() else (1 << 30, p) for p in parts]


REPRODUCTIONS: Sequence[Reproduction] = tuple(
    sorted((entry for module in MODULES for entry in module.FIGURES), key=_place)
)


def reproduction(name: str) -> Reproduction:
    """The reproduction of that name, or of that label in the one paper that prints it."""
    known = {entry.name: entry for entry in REPRODUCTIONS}
    return known[named(name, known)]


def panels(entry: Reproduction, sweep: str | None = None, tracking_uri: str | None = None) -> Sequence[Panel]:
    """The panels of a figure; where it shows trained models, those of ``sweep``, else of its own preset's sweep."""
    if entry.sweep is None:
        return entry.build()
    from explorer.api import results

    try:
        found = results(sweep or entry.sweep, tracking_uri)
    except UserError as error:
        if sweep is not None:
            raise
        raise UserError(
            f"figure {entry.name} shows trained models, which are read from sweep '{entry.sweep}'; "
            f"run `tradeoff sweep {entry.sweep}` first, or name another with --sweep ({error})"
        ) from error
    return entry.build(found)
