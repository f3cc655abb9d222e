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

EXPLAINED = 0.3
"""Share of the variance between clusters below which PRD has no interval: isotropic laws fall below it near d = 14."""
ROUNDS, RUNS = 6, 2
"""How often both sets are cut into halves for an interval, and runs of a half: 1.2 times the work of ten runs."""
BIAS = 0.75, 2.0
"""The bias over what the value lies above that of halves: 1 if it falls as 1/N, 2.4 as 1/√N, less with drift."""


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
    """Sajjadi et al. 2018: both sets quantised by k-means of their union, ``runs`` times.

    Attributes:
        clusters: clusters of the k-means that makes histograms.
        runs: runs of k-means over which curves are averaged.
    """

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
        curve = sets.curve()
        values = {key: float(value) for key, value in curve_summaries("prd", curve).items()}
        if not pair.draws:
            return Scores(values, curves={"prd": curve})
        if min(len(pair.real), len(pair.fake)) < self.clusters:
            why = f"its interval needs {self.clusters} samples on both sides; use more samples"
            return Scores(values, curves={"prd": curve}, withheld=dict.fromkeys(values, why))
        share = sets.explained(pair.real, pair.fake)
        if share < EXPLAINED:
            why = (
                f"its clusters hold {share:.0%} of the variance, and where they lie then changes with the number of "
                f"samples by more than an interval tells; it takes {EXPLAINED:.0%}"
            )
            return Scores(values, curves={"prd": curve}, withheld=dict.fromkeys(values, why))
        kinds = dict.fromkeys(values, "bias-corrected, halves")
        return Scores(values, _intervals(pair, sets, values), {"prd": curve}, kinds=kinds)


def _intervals(pair: Pair, sets: Quantised, values: dict[str, float]) -> dict[str, tuple[float, float]]:
    """Of halves with clusters of their own: half their difference is an error, and how low they lie shows the bias.

    Where the laws nearly agree the curve's bias falls as 1/√N, elsewhere as 1/N, and that clusters of more samples
    part the laws better pulls it down besides: it lies between ¾ and 2 times what the value lies above halves. At 1 and
    at 0 the interval is that of a share of the smaller set. All is added and taken off on the scale of angles.
    """
    import numpy as np

    from trainables.measures.groups import cuts
    from trainables.measures.intervals import quantile, wilson
    from trainables.measures.prd import quantise

    n, m, rng = len(pair.real), len(pair.fake), pair.rng("prd")
    runs = min(RUNS, len(sets.real_labels))
    found = []
    for at, halves in enumerate(cuts(n, m, 2, ROUNDS, rng), 1):
        pair.stage(f"k-means of random halves: round {at} of {ROUNDS}")
        seeds = rng.integers(2**31, size=2)
        found.append(
            [
                _angles(quantise(pair.real[i], pair.fake[j], sets.clusters, runs, int(seed)))
                for (i, j), seed in zip(halves, seeds, strict=True)
            ]
        )
    # With as many runs: the curve of fewer is rougher, and its largest F a little larger.
    few = [_angles(some) for some in sets.parts(runs)]
    t, normal = quantile(pair.level, ROUNDS), quantile(pair.level)
    least, most = wilson(0.0, min(n, m), normal)[1], wilson(1.0, min(n, m), normal)[0]
    ends = {}
    for key, value in values.items():
        halved = np.array([[half[key] for half in halves] for halves in found])
        error = float(np.sqrt(np.mean((halved[:, 0] - halved[:, 1]) ** 2) / 4))
        above = max(float(np.mean([some[key] for some in few])) - float(halved.mean()), 0.0)
        angle = float(_angle(np.asarray(value)))
        around = angle + BIAS[0] * above - t * error, angle + BIAS[1] * above + t * error
        low, high = (float(np.sin(np.clip(end, 0, np.pi / 2)) ** 2) for end in around)
        ends[key] = min(low, most), max(high, least)
    return ends


def _angles(sets: Quantised) -> dict[str, float]:
    """The summaries of the curve of clusterings, as angles."""
    return {key: float(_angle(value)) for key, value in curve_summaries("prd", sets.curve()).items()}


def _angle(share: np.ndarray) -> np.ndarray:
    """arcsin √x: numbers in [0, 1] on a scale on which their spread is about the same everywhere."""
    import numpy as np

    return np.asarray(np.arcsin(np.sqrt(np.clip(share, 0.0, 1.0))))
