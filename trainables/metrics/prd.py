"""Precision-recall curves of k-means histograms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.family import at_most, positive
from trainables.metrics.metric import Entry, Metric, Scores

if TYPE_CHECKING:
    from trainables.metrics.pair import Pair
    from trainables.precision_recall import PRCurve

__all__ = ["Prd", "curve_entries", "curve_scores"]


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


def curve_scores(pair: Pair, name: str, curve: PRCurve, draws: PRCurve | None) -> Scores:
    """The three numbers of a curve, with intervals from curves of bootstrap draws."""
    summaries = {
        "f8": lambda c: c.f_max(8.0),
        "f1_8": lambda c: c.f_max(1 / 8),
        "auc": lambda c: c.auc(),
    }
    values = {f"{name}.{key}": float(of(curve)) for key, of in summaries.items()}
    intervals = {}
    if draws is not None:
        intervals = {
            f"{name}.{key}": pair.interval(values[f"{name}.{key}"], of(draws))
            for key, of in summaries.items()
        }
    return Scores(values, intervals, {name: curve})


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

        far = pair.progress(f"k-means, {self.runs} runs of {self.clusters} clusters")
        sets = quantise(pair.real, pair.fake, self.clusters, self.runs, pair.seed, far)
        pair.stage("curve of k-means histograms")
        draws = sets.draws(pair.draws, pair.rng("prd")) if pair.draws else None
        return curve_scores(pair, "prd", sets.curve(), draws)
