"""Divergence frontiers of real against generated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from trainables.family import positive
from trainables.metrics.classifier import LEAST, check_learner, share_ends, too_few
from trainables.metrics.learners import Learner
from trainables.metrics.metric import Entry, Metric, Scores

if TYPE_CHECKING:
    import numpy as np

    from trainables.measures.classifier_curve import HeldOut
    from trainables.metrics.pair import Pair
    from trainables.precision_recall.frontiers import Frontier

__all__ = ["DivergenceFrontier", "summaries"]

POINTS = 101
"""Points of a frontier, its two ends among them."""
NO_OVERLAP = {"frontier.inclusive": 0.5, "frontier.exclusive": 0.0}
"""Areas by key, and what they are of laws that share no mass, at α ≥ 1."""


@dataclass(frozen=True)
class DivergenceFrontier(Metric):
    """Djolonga et al. 2020: how close a third law R can be to the real one and to the generated one at once.

    P and Q are the laws of a classifier's scores of held-out real and generated samples, which Rényi divergences tell
    apart no better than the samples' own laws (data processing): the frontier is optimistic by what the classifier
    misses. Inclusive is (e^{-D_α(P‖R)}, e^{-D_α(Q‖R)}), exclusive (e^{-D_α(R‖Q)}, e^{-D_α(R‖P)}), precision first.

    Attributes:
        order: α of the Rényi divergence; 1 is that of Kullback and Leibler.
        learner: which classifier is trained.
    """

    name: ClassVar[str] = "frontier"
    entries: ClassVar[tuple[Entry, ...]] = (
        Entry(
            "frontier.inclusive",
            "Inclusive frontier area",
            "Area under the inclusive divergence frontier: 1 for equal laws, ½ without overlap.",
            "max",
            0.5,
            1,
        ),
        Entry(
            "frontier.exclusive",
            "Exclusive frontier area",
            "Area under the exclusive divergence frontier: 1 for equal laws, 0 without overlap.",
            "max",
            0,
            1,
        ),
        Entry(
            "frontier.fake_to_real",
            "Divergence to the real law",
            "D(Q‖P) of the generated law from the real one, an end of both frontiers: large where what is generated "
            "is rare among real samples.",
            "min",
            0,
            unit="nat",
        ),
        Entry(
            "frontier.real_to_fake",
            "Divergence from the real law",
            "D(P‖Q) of the real law from the generated one, the other end: large where what is real is hardly "
            "generated.",
            "min",
            0,
            unit="nat",
        ),
    )
    order: float = 1.0
    learner: Learner = "ensemble"

    def check(self) -> None:
        """The order is a number, the classifier one of those there are."""
        positive(**{"order of metric frontier": self.order})
        check_learner(self.name, self.learner)

    def least(self) -> tuple[int, int]:
        """Four to train on and four to test, of each."""
        return 8, 16

    def measure(self, pair: Pair) -> Scores:
        """Both frontiers of held-out scores, with their areas and ends."""
        held_out = pair.held_out(self.learner)
        frontiers = self._frontiers(held_out)
        values = summaries(frontiers)
        if not pair.draws:
            return Scores(values, frontiers=frontiers)
        if why := too_few(pair, held_out.curve()):
            return Scores(values, frontiers=frontiers, withheld=dict.fromkeys(values, why))
        rounds = [
            [summaries(self._frontiers(half)) for half in halves]
            for halves in pair.group_held_out(self.learner)
        ]
        ends = _intervals(pair, values, rounds)
        kinds = {key: f"{'Wilson' if key in NO_OVERLAP else 'score'}, design effect" for key in values}
        return Scores(values, ends, kinds=kinds, frontiers=frontiers)

    def _frontiers(self, held_out: HeldOut) -> dict[str, Frontier]:
        from trainables.measures.frontier import calibrated_histograms, histogram_frontier, walk

        counts = calibrated_histograms(held_out)
        return {
            "frontier.inclusive": histogram_frontier(*counts, self.order, "inclusive", walk(POINTS)),
            "frontier.exclusive": histogram_frontier(*counts, self.order, "exclusive", walk(POINTS)),
        }


def summaries(frontiers: Mapping[str, Frontier]) -> dict[str, float]:
    """Areas by the frontier's name, and the ends: the inclusive one begins at R = P and ends at R = Q."""
    inclusive = frontiers["frontier.inclusive"]
    return {
        **{name: frontier.area() for name, frontier in frontiers.items()},
        "frontier.fake_to_real": float(inclusive.to_model[0]),
        "frontier.real_to_fake": float(inclusive.to_real[-1]),
    }


def _intervals(
    pair: Pair, values: Mapping[str, float], rounds: Sequence[Sequence[Mapping[str, float]]]
) -> dict[str, tuple[float, float]]:
    """Areas are shares of what lies above their least; divergences vary in proportion to themselves, as counts do."""
    import numpy as np

    found = {}
    for key, value in values.items():
        halves = np.array([[half[key] for half in row] for row in rounds])
        if key in NO_OVERLAP:
            least = NO_OVERLAP[key]
            low, high = share_ends(pair, float(_share(np.array(value), least)), _share(halves, least))
            found[key] = least + (1 - least) * low, least + (1 - least) * high
        else:
            found[key] = _divergence_ends(pair, value, halves)
    return found


def _share(area: Any, least: float) -> Any:
    """An area on the scale on which no overlap is 0."""
    return ((area - least) / (1 - least)).clip(0.0, 1.0)


def _divergence_ends(pair: Pair, value: float, halves: np.ndarray) -> tuple[float, float]:
    """{θ ≥ 0 : (value - θ)² ≤ t² D 2θ/n}: the mean of log p/q over n samples of near laws varies by twice itself."""
    from trainables.measures.groups import design_effect
    from trainables.measures.intervals import quantile, score_interval

    fewest = min(len(pair.real), len(pair.fake))
    size = fewest // halves.shape[1]
    effect = design_effect(halves, 2 * halves / size, 1 / (size**2 * halves.size), LEAST)
    t = quantile(pair.level, effect.freedom - 1)
    low, high = score_interval(value, t * t * effect.ratio * 2 / fewest)
    return max(low, 0.0), high
