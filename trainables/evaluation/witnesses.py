"""Who pulls precision and recall down: generated samples outside of the data, real ones that nobody comes near."""

from __future__ import annotations

import torch
from torch import Tensor

from trainables.evaluation.closest import closest
from trainables.evaluation.findings import Side, Witnesses
from trainables.evaluation.shown import PIXELS, shown
from trainables.measures.knn.neighbours import BallCounts

__all__ = ["find_witnesses", "spread"]

MOST = 16
"""Samples of either kind that are kept."""
LOOKED_AT = 1024
"""Samples of either kind among which they are looked for, the first ones: what is seen of more is much the same."""
CEILING = 1e6
"""The largest excess told: samples that coincide have balls of radius 0."""


def find_witnesses(
    real: Tensor,
    fake: Tensor,
    radii: Tensor,
    counts: BallCounts,
    samples: tuple[Tensor, Tensor],
    span: tuple[float, float],
    features: str,
) -> Witnesses:
    """The worst generated samples and the real ones that are missed.

    Args:
        real, fake: features (N, d), (M, d).
        radii: (N,) of the real balls.
        counts: who lies in whose ball, of which those in none are told.
        samples: the real samples (N, *shape) and the generated ones (M, *shape) themselves.
        span: what black and white are, of images.
        features: the name of the space.

    O(1024·(N + M)·d); in d ≤ 3 on a CPU O((N + M) log(N + M)).
    """
    outside = (counts.real_balls_around_fake == 0).nonzero().flatten().to(fake.device)
    missed = (counts.fake_balls_around_real == 0).nonzero().flatten().to(fake.device)
    some, lost = outside[:LOOKED_AT], missed[:LOOKED_AT]
    distance, place = closest(fake[some], real, 1)
    excess = _excess(distance[:, 0], radii.to(distance)[place[:, 0]])
    worst = _order(excess, distance[:, 0])[: _most(samples[1])]
    apart, at = closest(real[lost], fake, 1)
    near, back = at[:, 0].unique(return_inverse=True)
    # A ball of a sample that coincides with others is that of the k-th beside itself.
    own = closest(fake[near], fake, min(counts.k + 1, len(fake)))[0][:, -1]
    beyond = _excess(apart[:, 0], own[back])
    first = _order(beyond, apart[:, 0])
    # One after the other, and few: a card would take longer to be asked.
    chosen = first[spread(real[lost][first].cpu(), _most(samples[0])).to(first.device)]
    return Witnesses(
        _side(samples[1], outside, some[worst], excess[worst], len(fake), span),
        _side(samples[0], missed, lost[chosen], beyond[chosen], len(real), span),
        features,
        counts.k,
    )


def spread(points: Tensor, count: int) -> Tensor:
    """Places of ``count`` of points (n, d) that are far from one another: the first, then always the farthest of all.

    Gonzalez 1985: no other choice is more than twice as good at leaving no point far from one that is chosen. In the
    order in which they were given. O(n·d·count).
    """
    x = (points - points.mean(dim=0)).float() if len(points) else points.float()
    norms = x.square().sum(dim=1)
    chosen: list[Tensor] = []
    nearest = torch.full_like(norms, torch.inf)
    place = torch.zeros((), dtype=torch.int64, device=x.device)
    for _ in range(min(count, len(x))):
        chosen.append(place)
        nearest = torch.minimum(nearest, (norms + norms[place] - 2 * (x @ x[place])).clamp(min=0))
        nearest[place] = -1  # copies of it may follow, it may not
        place = nearest.argmax()
    if not chosen:
        return torch.zeros(0, dtype=torch.int64, device=x.device)
    return torch.stack(chosen).sort().values


def _excess(distance: Tensor, radius: Tensor) -> Tensor:
    return (distance / radius.clamp(min=1e-300)).clamp(max=CEILING)


def _order(excess: Tensor, distance: Tensor) -> Tensor:
    """The largest excess first; of equal ones, the farthest."""
    farthest = distance.argsort(descending=True, stable=True)
    return farthest[excess[farthest].argsort(descending=True, stable=True)]


def _most(samples: Tensor) -> int:
    """Fewer of large images."""
    size = max(1, samples[0].numel())
    return MOST if samples.ndim != 4 else max(2, min(MOST, PIXELS // (2 * size)))


def _side(
    samples: Tensor,
    all_of_them: Tensor,
    chosen: Tensor,
    excess: Tensor,
    count: int,
    span: tuple[float, float],
) -> Side:
    images = shown(samples[chosen.to(samples.device)], span=span).samples
    assert images is not None
    return Side(len(all_of_them) / count, excess.cpu().numpy(), images)
