"""A ratio from a classifier fitted after training: real points against draws of a model that stands still.

A classifier that tells points of P from points of Q by the logistic loss, in which both kinds weigh the same, has
log p/q as its best logit (Sugiyama et al. 2012). A critic that was trained beside a moving generator lags behind it;
this one does not (Vérine 2024, C.2.3), and models without a critic get a ratio at all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from trainables.samplers.pool import Drawable
from trainables.samplers.ratio_networks import RatioNetwork, ratio_network

__all__ = ["FittedRatio", "fitted"]

FEWEST = 100
"""Points of each kind below which nothing is learnt."""
MOST_EPOCHS, PATIENCE = 100, 10
"""Passes over the points at most, and how many of them may bring nothing on the held-out ones."""
BATCH = 256
"""Points of each kind in a step."""
RATE, DECAY = 1e-3, 1e-3
MEMORY = 0.99
"""What the mean of the weights keeps of itself at each step."""
SEEN = 4096
"""Points of each kind by which samples are scaled."""
HELD_OUT = 5
"""Every so-manieth point is held out."""


@dataclass(frozen=True, eq=False)
class FittedRatio:
    """Log r by a classifier; called with points (m, *shape) it gives (m,), through which gradients flow.

    Attributes:
        network: the classifier.
        loss: its logistic loss on held-out points in nats, log 2 of one that knows nothing.
        accuracy: the share of held-out points that it puts right, classes weighing alike.
        epochs: passes over the points after which it was best.
        real, fake: how many points it was fitted on, held-out ones included.
    """

    network: RatioNetwork
    loss: float
    accuracy: float
    epochs: int
    real: int
    fake: int

    def __call__(self, points: Tensor) -> Tensor:
        """Log r (m,) at points (m, *shape), on their device."""
        found: Tensor = self.network(points.to(self.network.mean.device).float())
        return found.to(points.device)


def fitted(
    model: Drawable,
    real: Tensor,
    seed: int,
    draws: int | None = None,
    device: torch.device | str | None = None,
) -> FittedRatio:
    """Fit real points (N, *shape) against ``draws`` draws of a seed, N if left out.

    Adam on the logistic loss, until points that are held out, a fifth, have not gained for some passes; the best mean
    of weights is given. Trained on ``device``, that of the real points if left out; on a CPU equal seeds give the same
    network. Samples that are to be independent of it are drawn with another seed.
    O((N + draws) · passes) time, and O(N + draws) memory.
    """
    fake = _drawn(model, len(real) if draws is None else draws, seed)
    _check(model, real, fake)
    place = torch.device(device) if device is not None else real.device
    generator = torch.Generator().manual_seed(seed)
    kinds = [_Kind.of(points, generator, place) for points in (real, fake)]
    network = ratio_network(model.shape, seed)
    network.standardise(torch.cat([kind.points[kind.fit[:SEEN]].float().cpu() for kind in kinds]))
    network = network.to(place)
    mean = deepcopy(network).requires_grad_(False)
    best = _Best(mean, *_judged(mean, kinds), 0)
    optimiser = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
    for epoch in range(1, MOST_EPOCHS + 1):
        for batches in _batches(kinds, generator, place):
            _step(network, mean, optimiser, batches)
        loss, accuracy = _judged(mean, kinds)
        if loss < best.loss:
            best = _Best(deepcopy(mean), loss, accuracy, epoch)
        if epoch - best.epoch >= PATIENCE:
            break
    return FittedRatio(best.network, best.loss, best.accuracy, best.epoch, len(real), len(fake))


@dataclass(frozen=True, eq=False)
class _Best:
    network: RatioNetwork
    loss: float
    accuracy: float
    epoch: int


@dataclass(frozen=True, eq=False)
class _Kind:
    """Points of one kind, the places of those that are fitted, and those that are held out."""

    points: Tensor
    fit: Tensor
    held: Tensor

    @classmethod
    def of(cls, points: Tensor, generator: torch.Generator, place: torch.device) -> _Kind:
        order = torch.randperm(len(points), generator=generator).to(points.device)
        share = -(-len(points) // HELD_OUT)
        return cls(points, order[share:], points[order[:share]].to(place))


def _batches(
    kinds: Sequence[_Kind], generator: torch.Generator, place: torch.device
) -> Iterator[tuple[Tensor, Tensor]]:
    """Every point of the kind of which there are more, once; of the other as many, some again."""
    steps = math.ceil(max(len(kind.fit) for kind in kinds) / BATCH)
    places = []
    for kind in kinds:
        order = torch.randperm(len(kind.fit), generator=generator).to(kind.fit.device)
        places.append(kind.fit[order.repeat(math.ceil(steps * BATCH / len(order)))])
    for step in range(steps):
        part = slice(step * BATCH, (step + 1) * BATCH)
        real, fake = (kind.points[at[part]].to(place).float() for kind, at in zip(kinds, places, strict=True))
        yield real, fake


def _step(
    network: nn.Module, mean: nn.Module, optimiser: torch.optim.Optimizer, batches: tuple[Tensor, Tensor]
) -> None:
    """One step of the network, and of the mean of its weights over the last steps."""
    real, fake = map(network, batches)
    loss = nn.functional.softplus(-real).mean() + nn.functional.softplus(fake).mean()
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    with torch.no_grad():
        for kept, now in zip(mean.parameters(), network.parameters(), strict=True):
            kept.lerp_(now, 1 - MEMORY)


@torch.no_grad()
def _judged(network: nn.Module, kinds: Sequence[_Kind]) -> tuple[float, float]:
    """Logistic loss and accuracy on points that are held out, classes weighing alike."""
    up, down = (torch.cat([network(part.float()) for part in kind.held.split(BATCH)]) for kind in kinds)
    loss = nn.functional.softplus(-up).mean() + nn.functional.softplus(down).mean()
    return float(loss) / 2, float((up > 0).float().mean() + (down <= 0).float().mean()) / 2


@torch.no_grad()
def _drawn(model: Drawable, count: int, seed: int) -> Tensor:
    """Draws (count, *shape) of a seed; fewer where they come to an end."""
    found: list[Tensor] = []
    for pool in model.pools(seed):
        found.append(pool.points)
        if sum(map(len, found)) >= count:
            break
    return torch.cat(found)[:count] if found else torch.zeros(0, *model.shape)


def _check(model: Drawable, real: Tensor, fake: Tensor) -> None:
    if tuple(real.shape[1:]) != model.shape:
        raise ValueError(
            f"real points must have the shape of samples {model.shape}, got {tuple(real.shape[1:])}; give both as the "
            "model makes them"
        )
    for kind, points in (("real points", real), ("draws", fake)):
        if len(points) < FEWEST:
            raise ValueError(
                f"a classifier needs at least {FEWEST} {kind}, got {len(points)}; some thousands tell something"
            )
        amiss = int((~points.flatten(1).isfinite()).any(dim=1).sum())
        if amiss:
            raise ValueError(
                f"{kind} must be finite, but {amiss:,} of {len(points):,} hold NaN or infinity; remove them or fix "
                "what made them"
            )
