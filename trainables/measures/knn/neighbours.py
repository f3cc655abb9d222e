"""Precision, recall, density and coverage from k-nearest-neighbour balls.

Kynkäänniemi et al., *Improved Precision and Recall Metric for Assessing Generative Models*, 2019 (precision
and recall); Naeem et al., *Reliable Fidelity and Diversity Metrics for Generative Models*, 2020 (density and
coverage).

Every metric here is a mean over samples of a per-sample count, so :class:`BallCounts` is computed once and
scores and intervals are read from it. No N×N array is ever held.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from trainables.measures.arrays import as_features, check_neighbours, check_pair
from trainables.measures.knn.bench import Bench
from trainables.measures.knn.cut import Cut
from trainables.measures.knn.membership import Membership, dense_membership
from trainables.measures.knn.products import Points
from trainables.measures.knn.radii import dense_radii, radii_within
from trainables.measures.knn.trees import LOW_DIMENSION, tree_membership, tree_radii

__all__ = [
    "BallCounts",
    "CoverScores",
    "NeighbourScores",
    "ball_counts",
    "ball_counts_of",
    "check_squares",
    "knn_radii",
    "pr_cover",
    "precision_recall_density_coverage",
    "radii_of",
]

_SMALLEST = (
    2.0**-450
)  # the square of a distance that is 1e-15 times as large is still a full number of float64


@dataclass(frozen=True)
class NeighbourScores:
    """The four k-NN scores; each in [0, 1] but density, which may exceed 1."""

    precision: float
    recall: float
    density: float
    coverage: float


@dataclass(frozen=True)
class CoverScores:
    """Precision cover and recall cover, each in [0, 1]."""

    precision: float
    recall: float


@dataclass(frozen=True)
class BallCounts:
    """Who lies in whose k-NN ball, for one k; for B pairs at once each has one axis more, in front.

    - ``real_balls_around_fake`` (M,): in how many real balls each fake lies;
    - ``fakes_in_real_ball`` (N,): how many fakes each real ball holds;
    - ``fake_balls_around_real`` (N,): in how many fake balls each real lies;
    - ``reals_in_fake_ball`` (M,): how many reals each fake ball holds;
    - ``k``: the neighbour that made the radii.
    """

    real_balls_around_fake: Tensor
    fakes_in_real_ball: Tensor
    fake_balls_around_real: Tensor
    reals_in_fake_ball: Tensor
    k: int

    @classmethod
    def stacked(cls, counts: Sequence[BallCounts]) -> BallCounts:
        """The counts of B pairs of equal sizes and k as one: (B, M) and (B, N)."""
        return cls(
            torch.stack([one.real_balls_around_fake for one in counts]),
            torch.stack([one.fakes_in_real_ball for one in counts]),
            torch.stack([one.fake_balls_around_real for one in counts]),
            torch.stack([one.reals_in_fake_ball for one in counts]),
            counts[0].k,
        )

    def scores(self) -> NeighbourScores:
        """The four scores: means of :meth:`per_sample`."""
        return NeighbourScores(**{name: float(values.mean()) for name, values in self.per_sample().items()})

    def per_sample(self) -> dict[str, Tensor]:
        """What each score is the mean of, float64: over fakes (M,) or reals (N,); draw these again for intervals."""
        around = self.real_balls_around_fake.double()
        return {
            "precision": (around > 0).double(),  # Kynkäänniemi eq. 2, over the fakes
            "recall": (self.fake_balls_around_real > 0).double(),  # eq. 2 mirrored, over the reals
            "density": around / self.k,  # Naeem eq. 2, the same k as the radii
            "coverage": (self.fakes_in_real_ball > 0).double(),  # Naeem eq. 3, over the real balls
        }

    def cover(self, k: int) -> CoverScores:
        """PR cover (k, k′) with k′ the neighbour that made these radii: shares of :meth:`covered`."""
        fakes, reals = self.covered(k)
        return CoverScores(float(fakes.double().mean()), float(reals.double().mean()))

    def covered(self, k: int) -> tuple[Tensor, Tensor]:
        """Which fakes (M,) and which reals (N,) have enough of the others in their own ball.

        A fake's ball has mass k′/M among the fakes; it is covered when its mass among the reals is at least k/M
        (and mirrored). With N = M that is "holds at least k of the others"; for N ≠ M masses are compared, so
        that k/k′ keeps its meaning as a ratio of densities. Cheema & Urner 2023; thesis Definition 3.3.6.
        """
        if k < 1:
            raise ValueError(f"the k of PR cover must be at least 1, got {k}; use about a third of k′")
        m, n = self.reals_in_fake_ball.shape[-1], self.fakes_in_real_ball.shape[-1]
        return self.reals_in_fake_ball * m >= k * n, self.fakes_in_real_ball * n >= k * m  # (3.26), (3.27)


def knn_radii(x: Tensor | np.ndarray, k: int) -> Tensor:
    """Distance from each sample of ``x`` (N, d) to its k-th neighbour, itself excluded → (N,) float64.

    Exact: no rounding of a matrix product decides which neighbour is the k-th.
    """
    return radii_of(x, (k,))[:, 0]


def radii_of(
    x: Tensor | np.ndarray, ks: Sequence[int], progress: Callable[[float], None] | None = None
) -> Tensor:
    """``knn_radii`` for several k at the cost of one → (N, len(ks)) float64; ``progress`` hears which part is done."""
    features = as_features(x)
    check_squares(features)
    for k in ks:
        check_neighbours(len(features), k)
    if _low(features):
        return torch.from_numpy(tree_radii(_numpy(features), ks))
    return dense_radii(features, ks, progress=progress)


def check_squares(*sets: Tensor) -> None:
    """Squares of numbers as small as only float64 has them vanish; those that are too large are told later."""
    ends = [end for x in sets if x.dtype == torch.float64 for end in torch.aminmax(x)]
    largest = max((abs(float(end)) for end in ends), default=1.0)
    if 0 < largest < _SMALLEST:
        raise ValueError("squared distances of the features underflow float64; rescale the features")


def ball_counts(
    real: Tensor | np.ndarray,
    fake: Tensor | np.ndarray,
    k: int,
    real_radii: Tensor | None = None,
    strict: bool = False,
) -> BallCounts:
    """Membership counts of ``real`` (N, d) and ``fake`` (M, d) in each other's k-NN balls.

    ``real_radii`` (N,) are ``knn_radii(real, k)`` if already known. Balls are closed (`≤`, as in
    Kynkäänniemi's code), so identical sets score 1; ``strict`` opens them (`<`) for parity with prdc and piq.
    """
    given = None if real_radii is None else real_radii.reshape(-1, 1)
    return ball_counts_of(real, fake, (k,), given, strict)[0]


def ball_counts_of(
    real: Tensor | np.ndarray,
    fake: Tensor | np.ndarray,
    ks: Sequence[int],
    real_radii: Tensor | None = None,
    strict: bool = False,
    progress: Callable[[float], None] | None = None,
) -> list[BallCounts]:
    """``ball_counts`` for several k from the same distances; ``real_radii`` (N, len(ks)) if already known.

    ``progress`` hears which part is done.
    """
    x, y = check_pair(as_features(real, "real features"), as_features(fake, "fake features"))
    check_squares(x, y)
    for k in ks:
        check_neighbours(len(x), k, "real features")
        check_neighbours(len(y), k, "fake features")
    if real_radii is not None and real_radii.shape != (len(x), len(ks)):
        raise ValueError(
            f"real_radii must hold one radius per real sample and k, got shape {tuple(real_radii.shape)} for "
            f"{len(x)} samples and {len(ks)} values of k; compute them with knn_radii(real, k)"
        )
    found = (_tree_membership if _low(x) else _dense_membership)(x, y, real_radii, ks, strict, progress)
    return [
        BallCounts(
            found.real_balls_around_fake[:, at],
            found.fakes_in_real_ball[:, at],
            found.fake_balls_around_real[:, at],
            found.reals_in_fake_ball[:, at],
            k,
        )
        for at, k in enumerate(ks)
    ]


def precision_recall_density_coverage(
    real: Tensor | np.ndarray,
    fake: Tensor | np.ndarray,
    k: int,
    real_radii: Tensor | None = None,
    strict: bool = False,
) -> NeighbourScores:
    """Precision, recall, density, coverage of ``fake`` (M, d) against ``real`` (N, d), N and M above k.

    - precision: share of **fakes** inside some real ball;
    - recall: share of **reals** inside some fake ball;
    - density: mean number of real balls around a fake, divided by the same k;
    - coverage: share of **real balls** holding a fake.
    """
    return ball_counts(real, fake, k, real_radii, strict).scores()


def pr_cover(
    real: Tensor | np.ndarray, fake: Tensor | np.ndarray, k: int, k_prime: int, strict: bool = False
) -> CoverScores:
    """PR cover (k, k′): shares of fakes (of reals) whose own k′-NN ball holds k of the others.

    PC_{k,k′} = 1/M Σ_j 1{P_N(B_Q(y_j, k′/M)) ≥ k/M},  RC_{k,k′} = 1/N Σ_i 1{Q_M(B_P(x_i, k′/N)) ≥ k/N}.

    The paper asks k ≤ k′; it is not needed (α_λ is the limit of PC_{b/λ,b} + λ RC_{bλ,b} for every λ).
    Cheema & Urner, *Precision Recall Cover*, 2023; thesis Definition 3.3.6.
    """
    return ball_counts(real, fake, k_prime, strict=strict).cover(k)


def _tree_membership(
    real: Tensor,
    fake: Tensor,
    real_radii: Tensor | None,
    ks: Sequence[int],
    strict: bool,
    progress: Callable[[float], None] | None,
) -> Membership:
    x, y = _numpy(real), _numpy(fake)
    of_x = tree_radii(x, ks) if real_radii is None else _numpy(real_radii)
    return tree_membership(x, y, of_x, tree_radii(y, ks), strict, progress)


def _dense_membership(
    real: Tensor,
    fake: Tensor,
    real_radii: Tensor | None,
    ks: Sequence[int],
    strict: bool,
    progress: Callable[[float], None] | None,
) -> Membership:
    """The fakes are cut once, for their radii and for the balls. Their own mean is the origin: they may be far off.

    The reals have an origin of their own for their radii, and if they must be copied for it, the copy is gone before
    the fakes are; else both sets are searched together.
    """
    bench = Bench()
    y, x = Points.together(fake, real, scratch=bench)
    if real_radii is None and not x.alone_as_given:
        real_radii = dense_radii(real, ks, bench=bench)
    fakes = Cut.of(y)
    sets = [Cut.of(x), fakes] if real_radii is None else [fakes]
    # Half of the products of the fakes with themselves, then all of those with the reals.
    turn = len(fake) / (len(fake) + 2 * len(real))
    *of_x, fake_radii = radii_within(sets, ks, bench=bench, progress=_between(progress, 0.0, turn))
    real_radii = of_x[0] if real_radii is None else real_radii.to(fake_radii)
    return dense_membership(x, fakes, real_radii, fake_radii, strict, bench, _between(progress, turn, 1.0))


def _between(
    progress: Callable[[float], None] | None, start: float, stop: float
) -> Callable[[float], None] | None:
    """Progress of a part that begins and ends somewhere in the whole."""
    return None if progress is None else lambda part: progress(start + part * (stop - start))


def _low(x: Tensor) -> bool:
    return x.shape[1] <= LOW_DIMENSION and x.device.type == "cpu"


def _numpy(x: Tensor) -> np.ndarray:
    return np.ascontiguousarray(x.double().numpy())
