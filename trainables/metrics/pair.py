"""Two sets of samples, and what several metrics share of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from torch import Tensor

    from trainables.measures.classifier_curve import HeldOut
    from trainables.measures.knn.neighbours import BallCounts
    from trainables.metrics.learners import Learner
    from trainables.sources.law import Law

__all__ = ["Pair"]

GROUPS, ROUNDS = 3, 10
"""Into how many groups both sets are cut for the intervals of k-NN scores, and how often."""
HALVES, TRAININGS = 2, 6
"""The same for what is made of a classifier."""

Compute = Callable[[], "Mapping[str, Tensor]"]


def _forgetful(part: str, compute: Compute) -> Mapping[str, Tensor]:
    return compute()


@dataclass(eq=False)
class Pair:
    """Features of real (N, d) and generated (M, d) samples.

    Attributes:
        k: neighbours of the k-NN metrics.
        orders: every neighbour whose balls some metric looks at, so that distances are computed once.
        points: the generated samples themselves (M, *shape), where features are not they.
        law: the exact law of the data, where it is known.
        logits, real_logits: of the extractor on generated samples (M, classes) and on real ones (N, classes), where
            it has them.
        draws: bootstrap draws of the intervals that have some, 0 for no intervals at all; ``level`` is what they cover.
        remember: statistics of the real side by name, computed once by whoever keeps them, perhaps on disk: the name
            tells all that they depend on beside real samples and extractor.
        stage: told what is being done, for progress.
    """

    real: Tensor
    fake: Tensor
    k: int = 5
    orders: tuple[int, ...] = ()
    points: Tensor | None = None
    law: Law | None = None
    logits: Tensor | None = None
    real_logits: Tensor | None = None
    seed: int = 0
    draws: int = 0
    level: float = 0.95
    remember: Callable[[str, Compute], Mapping[str, Tensor]] = _forgetful
    stage: Callable[[str], None] = lambda text: None
    _counts: dict[int, BallCounts] = field(default_factory=dict, repr=False)
    _group_counts: dict[int, list[list[BallCounts]]] = field(default_factory=dict, repr=False)
    _held_out: dict[str, HeldOut] = field(default_factory=dict, repr=False)
    _group_held_out: dict[str, list[list[HeldOut]]] = field(default_factory=dict, repr=False)

    def balls(self, order: int) -> BallCounts:
        """Who lies in whose ball of the ``order``-th neighbour."""
        if order not in self._counts:
            from trainables.measures.knn.neighbours import ball_counts_of, radii_of

            ks = self.orders if order in self.orders else (order,)
            far = self.progress(f"balls of the {len(self.real)} real samples")
            name = "radii-" + "-".join(map(str, ks))
            radii = self.remember(name, lambda: {"radii": radii_of(self.real, ks, far)})["radii"]
            far = self.progress(f"distances of {len(self.real)} × {len(self.fake)} samples")
            counts = ball_counts_of(self.real, self.fake, ks, radii.to(self.real.device), progress=far)
            self._counts |= dict(zip(ks, counts, strict=True))
        return self._counts[order]

    def progress(self, text: str) -> Callable[[float], None]:
        """Tell that something long is begun; what comes back is told which part of it is done, from 0 to 1."""
        self.stage(text)
        return lambda part: self.stage(f"{text}: {part:.0%}")

    def group_balls(self, order: int) -> list[list[BallCounts]]:
        """:meth:`balls` within random thirds of both sets, ten times: rounds of groups, for intervals.

        Empty where a third has no ``order``-th neighbour. Ten rounds of three tiles (N/3, M/3) are 3⅓ times the work
        of all distances.
        """
        if order not in self._group_counts:
            from trainables.measures.groups import cuts
            from trainables.measures.knn.neighbours import ball_counts_of

            fewest = min(len(self.real), len(self.fake)) // GROUPS
            asked = self.orders if order in self.orders else (order,)
            ks = tuple(k for k in asked if k < fewest)
            self._group_counts |= {k: [] for k in asked}
            sides = len(self.real), len(self.fake)
            for at, groups in enumerate(cuts(*sides, GROUPS, ROUNDS, self.rng("groups")) if ks else (), 1):
                self.stage(f"balls of random groups: round {at} of {ROUNDS}")
                found = [ball_counts_of(self.real[i], self.fake[j], ks) for i, j in groups]
                for column, k in enumerate(ks):
                    self._group_counts[k].append([counts[column] for counts in found])
        return self._group_counts[order]

    def held_out(self, learner: Learner) -> HeldOut:
        """Scores of one half of both sets, by a classifier that was trained on the other."""
        if learner not in self._held_out:
            from trainables.measures.classifier_curve import classifier_scores

            far = self.progress(f"classifier of real against fake ({learner})")
            self._held_out[learner] = classifier_scores(self.real, self.fake, learner, self.seed, far)
        return self._held_out[learner]

    def group_held_out(self, learner: Learner) -> list[list[HeldOut]]:
        """:meth:`held_out` within random halves of both sets, six times: rounds of groups, for intervals.

        Every half trains a classifier of its own, so that what another training set would change is in the spread.
        """
        if learner not in self._group_held_out:
            from trainables.measures.classifier_curve import classifier_scores
            from trainables.measures.groups import cuts

            rounds = []
            sides = len(self.real), len(self.fake)
            for at, groups in enumerate(cuts(*sides, HALVES, TRAININGS, self.rng("classifier")), 1):
                self.stage(f"classifiers of random groups: round {at} of {TRAININGS}")
                found = [classifier_scores(self.real[i], self.fake[j], learner, at) for i, j in groups]
                rounds.append(found)
            self._group_held_out[learner] = rounds
        return self._group_held_out[learner]

    def rng(self, name: str) -> np.random.Generator:
        """A stream of its own for every number: an interval does not depend on what else was asked for."""
        import numpy as np

        return np.random.default_rng([self.seed, *name.encode()])

    def interval(self, value: float, draws: np.ndarray) -> tuple[float, float]:
        """The central part of bootstrap draws, widened to hold the value: the plainest interval there is."""
        from trainables.measures.bootstrap import estimate

        found = estimate(value, draws, self.level)
        return found.low, found.high

    def means(self, samples: Mapping[str, Tensor]) -> tuple[dict[str, float], dict[str, tuple[float, float]]]:
        """Means of per-sample values by key, and their intervals if the samples are all that varies."""
        from trainables.measures.bootstrap import mean_draws

        values = {key: float(each.double().mean()) for key, each in samples.items()}
        if not self.draws:
            return values, {}
        return values, {
            key: self.interval(
                values[key], mean_draws(each.double().cpu().numpy(), self.draws, self.rng(key))
            )
            for key, each in samples.items()
        }
