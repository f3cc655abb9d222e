"""Precision-recall curves of k-means histograms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.family import at_most, positive
from trainables.metrics.metric import Entry, Metric, Scores

if TYPE_CHECKING:
    import numpy as np

    from trainables.measures.prd import Quantised
    from trainables.metrics.pair import Pair
    from trainables.precision_recall import PRCurve

__all__ = ["Prd", "curve_entries", "curve_summaries"]

EXPLAINED = 0.2
"""Share of the variance that clusters must explain for an interval: below, they move with N, and so does the curve."""


def curve_entries(name: str, of: str) -> tuple[Entry, ...]:
    """The three numbers that sum up a curve."""
    title = name.upper() if len(name) <= 3 else name.capitalize()
    return (
        Entry(f"{name}.f8", f"{title} F8", f"Largest F8 along {of}: recall weighs eight times.", "max", 0, 1),
        Entry(
            f"{name}.f1_8",
            f"{title} F1/8",
            f"Largest F1/8 along {of}: precision weighs eight times.",
            "max",
            0,
            1,
        ),
        Entry(f"{name}.auc", f"{title} area", f"Area under {of}.", "max", 0, 1),
    )


def curve_summaries(name: str, curve: PRCurve) -> dict[str, np.ndarray]:
    """The three numbers of a curve by key, or of several curves at once."""
    import numpy as np

    found = {"f8": curve.f_max(8.0), "f1_8": curve.f_max(1 / 8), "auc": curve.auc()}
    return {f"{name}.{key}": np.asarray(value) for key, value in found.items()}


@dataclass(frozen=True)
class Prd(Metric):
    """Sajjadi et al. 2018: both sets quantised by k-means of their union, ``runs`` times."""

    name: ClassVar[str] = "prd"
    entries: ClassVar[tuple[Entry, ...]] = curve_entries("prd", "the PRD curve of k-means histograms")
    clusters: int = 20
    runs: int = 10

    def check(self) -> None:
        """There are clusters and runs."""
        positive(**{"clusters of metric prd": self.clusters, "runs of metric prd": self.runs})
        at_most(1000, **{"clusters of metric prd": self.clusters, "runs of metric prd": self.runs})

    def least(self) -> tuple[int, int]:
        """A sample for every cluster."""
        return 1, self.clusters

    def measure(self, pair: Pair) -> Scores:
        """The curve averaged over runs."""
        from trainables.measures.prd import quantise

        pair.stage(f"k-means, {self.runs} runs of {self.clusters} clusters")
        sets = quantise(pair.real, pair.fake, self.clusters, self.runs, pair.seed)
        curve = sets.curve()
        values = {key: float(value) for key, value in curve_summaries("prd", curve).items()}
        if not pair.draws:
            return Scores(values, curves={"prd": curve})
        if min(len(pair.real), len(pair.fake)) < max(self.clusters, 5):
            why = f"its interval needs {max(self.clusters, 5)} samples on both sides; use more samples"
            return Scores(values, curves={"prd": curve}, withheld=dict.fromkeys(values, why))
        if sets.explained < EXPLAINED:
            why = (
                f"the clusters explain {sets.explained:.0%} of the variance, and where they explain less than "
                f"{EXPLAINED:.0%} more samples would make other clusters and another curve; use more clusters, or "
                "features of fewer dimensions"
            )
            return Scores(values, curves={"prd": curve}, withheld=dict.fromkeys(values, why))
        pair.stage("PRD: interval")
        intervals = _intervals(sets, values, pair)
        kinds = dict.fromkeys(values, "pivot to cross-fit, bootstrap")
        return Scores(values, intervals, {"prd": curve}, kinds=kinds)


def _intervals(sets: Quantised, values: dict[str, float], pair: Pair) -> dict[str, tuple[float, float]]:
    """From the pivot's lower end, half of whose shift is left out, to the upper end around the cross-fitted curve.

    The curve lies below the law's for these clusters, the cross-fitted one above. That the clusters of more samples
    part the laws better pulls it down besides, by about as much as half of the bias. At 1 and at 0 the interval is that
    of a share of the smaller set. All is added and taken off on the scale of angles.
    """
    import numpy as np

    from trainables.measures.intervals import pivot, quantile, wilson

    n, t = min(sets.real_labels.shape[1], sets.fake_labels.shape[1]), quantile(pair.level)
    least, most = wilson(0.0, n, t)[1], wilson(1.0, n, t)[0]
    rng, points = pair.rng("prd"), 201
    draws = curve_summaries("prd", sets.draws(pair.draws, rng, points))
    coarse = curve_summaries("prd", sets.curve(points))  # on the grid of the draws
    crossed = curve_summaries("prd", sets.crossed(rng, points))
    found = {}
    for key, value in values.items():
        drawn = _angle(draws[key])
        v = float(_angle(coarse[key]))
        bias = v - float(drawn.mean())
        low, high = pivot(v, drawn, pair.level)
        low, high = low - max(bias, 0.0) / 2, high + max(float(_angle(crossed[key])) - v - bias, 0.0)
        shift = float(_angle(np.asarray(value))) - v
        low, high = (float(np.sin(np.clip(end + shift, 0, np.pi / 2)) ** 2) for end in (low, high))
        found[key] = min(low, most), max(high, least)
    return found


def _angle(share: np.ndarray) -> np.ndarray:
    """arcsin √x: numbers in [0, 1] on a scale on which their spread is about the same everywhere."""
    import numpy as np

    return np.asarray(np.arcsin(np.sqrt(np.clip(share, 0.0, 1.0))))
