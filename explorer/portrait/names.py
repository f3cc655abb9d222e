"""Names of runs that MLflow's search finds: spelled in what a keyboard can type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from explorer.results.catalogue import LAMBDA
from explorer.results.naming import Naming, cut
from explorer.results.table import Scalar

__all__ = ["LONGEST", "searchable"]

LONGEST = 200
"""Characters of a name."""


def searchable(naming: Naming) -> Callable[[Mapping[str, Scalar]], str]:
    """The names of a naming, ``lam 0.5, kl, seed 3``; empty where nothing varies."""
    if LAMBDA in naming.headings:
        naming = replace(naming, headings={**naming.headings, LAMBDA: "lam"})
    return lambda params: cut(", ".join(naming.parts(params)), LONGEST)
