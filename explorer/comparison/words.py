"""What a comparison came to, in sentences that claim no more than the seeds allow."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from string import ascii_uppercase
from typing import TYPE_CHECKING

from explorer.comparison.significance import FEWEST, Difference
from explorer.figures.columns import score
from explorer.pareto.comparison import Estimate
from explorer.words import counted

if TYPE_CHECKING:
    from explorer.comparison.comparison import Comparison, Measured, Verdict

__all__ = ["chance", "letter", "sentences", "told", "value_words"]

SURE: tuple[Verdict, ...] = ("better", "worse", "higher", "lower")


def letter(side: int) -> str:
    """The sides are A, B, C, … in tables."""
    return ascii_uppercase[side]


def chance(p: float) -> str:
    """A p-value for people: ``p < 0.001``, ``p 0.012``, ``p 0.3``."""
    return "p < 0.001" if p < 0.001 else f"p {p:.2g}"


def told(found: Difference) -> str:
    """A difference for people: ``+0.120 (+0.080 … +0.160)``."""
    if not found.is_known:
        return "–"
    value = _signed(found.value)
    return value if found.low != found.low else f"{value} ({_signed(found.low)} … {_signed(found.high)})"


def value_words(one: Estimate) -> str:
    """A mean for people: ``0.812 ± 0.010``, or ``0.812 (0.790 – 0.840)`` where it lies off the middle."""
    if not math.isfinite(one.value):
        return "–"
    if not one.is_sure:
        return score(one.value)
    below, above = one.value - one.low, one.high - one.value
    even = math.isclose(below, above, rel_tol=1e-6, abs_tol=1e-12)
    return (
        f"{score(one.value)} ± {score(above)}"
        if even
        else f"{score(one.value)} ({score(one.low)} – {score(one.high)})"
    )


def _signed(value: float) -> str:
    text = score(abs(value))
    return text if float(text) == 0 else f"{'+' if value > 0 else '−'}{text}"


def sentences(found: Comparison) -> Iterator[str]:
    """Who is surely better in what; what may be luck; where seeds are too few; how it was tested."""
    if found.alone:
        yield (
            "Two of these are seeds of one configuration, so single seeds are compared: one value each tells nothing "
            "about luck, and no difference is called significant."
        )
        return
    first = letter(0)
    for side in range(1, len(found.sides)):
        yield from _of_side(found, side, first)
    few = [i for i in range(len(found.sides)) if found.seeds(i) < FEWEST]
    if few:
        have = ", ".join(f"{letter(i)} has {found.seeds(i)}" for i in few)
        yield (
            f"To tell a difference from luck, {FEWEST} finished seeds of a configuration are the least: {have}. "
            "More come with seeds: in the sweep file, or --set seeds=N."
        )
    if any(one.p is not None for metric in found.metrics for one in metric.differences):
        yield _method(found)


def _of_side(found: Comparison, side: int, first: str) -> Iterator[str]:
    by_verdict: dict[Verdict, list[Measured]] = {}
    for metric in found.metrics:
        by_verdict.setdefault(metric.verdict(side), []).append(metric)
    sure = [(verdict, _listed(by_verdict[verdict])) for verdict in SURE if verdict in by_verdict]
    if sure:
        (verdict, names), *more = sure
        rest = "".join(f" and {other} in {those}" for other, those in more)
        yield f"{letter(side)} is {verdict} than {first} in {names}{rest}, beyond luck."
    if "unsure" in by_verdict:
        names = _listed(by_verdict["unsure"]) if len(by_verdict) > 1 else "any of these metrics"
        yield f"{letter(side)} and {first} cannot be told apart in {names}: what they differ by may be luck."
    if "equal" in by_verdict:
        yield f"{letter(side)} and {first} are equal in {_listed(by_verdict['equal'])}."


def _listed(metrics: Sequence[Measured]) -> str:
    return ", ".join(one.title if one.title.isupper() else one.title.lower() for one in metrics)


def _method(found: Comparison) -> str:
    every = [one for metric in found.metrics for one in metric.differences if one.p is not None]
    made = {one.test for one in every}
    names = {
        "paired": "paired by seed (Student's t)",
        "welch": "by Welch's t, since their seeds are not the same",
        "exact": "by the order of the values alone where they do not spread",
    }
    how = ", ".join(words for test, words in names.items() if test in made)
    return (
        f"Tested {how}; p-values are two-sided and corrected for {counted(len(every), 'comparison')} (Holm). "
        "Intervals are those at 95 %, each for itself."
    )
