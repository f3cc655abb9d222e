"""A stream of refined samples: any method at any budget, one block of draws after the other, with all calls counted."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from trainables.evaluation.reading import Cost
from trainables.refinements.budgeted import Budgeted, check_budget
from trainables.refinements.choosing import Choosing
from trainables.refinements.draws import Block
from trainables.refinements.moving import Moving
from trainables.samplers.pool import Drawable, Pool

__all__ = ["Ledger", "Piece", "Refining", "check_ratios", "constants_of", "pool_ratios", "tuned"]

PATIENCE = 20
"""Times as many draws as a budget stands for, after which nothing more is expected of a ratio."""
FEWEST = 20_000
"""Draws that are looked at in any case before patience ends."""


@dataclass
class Ledger:
    """What a stream has cost so far.

    Attributes:
        samples: that were given away.
        draws: calls of the generator for them, also of those that were refused.
        scores: calls of the critic.
        gradients: gradients taken.
        seconds: of computing, by a clock; what found the constants is not in it.
    """

    samples: int = 0
    draws: int = 0
    scores: int = 0
    gradients: int = 0
    seconds: float = 0.0

    @property
    def acceptance(self) -> float:
        """Share of samples among all that were drawn to choose from; 1 where draws are moved."""
        return self.samples / self.chosen_from if self.chosen_from else 1.0

    chosen_from: int = field(default=0, repr=False)

    def plain(self) -> dict[str, Any]:
        """Numbers for JSON, those of one sample among them."""
        cost, each = self.cost(), max(1, self.samples)
        return {
            "samples": self.samples,
            "draws": self.draws,
            "scores": self.scores,
            "gradients": self.gradients,
            "seconds": self.seconds,
            "per_sample": {
                "draws": cost.draws,
                "scores": cost.scores,
                "gradients": cost.gradients,
                "calls": cost.draws + cost.scores + cost.gradients,
                "seconds": self.seconds / each,
            },
        }

    def cost(self) -> Cost:
        """Of one sample."""
        each = max(1, self.samples)
        return Cost(self.draws / each, self.scores / each, self.gradients / each)


@dataclass(frozen=True, eq=False)
class Piece:
    """Some samples of a stream (n, *shape), in its order, with their classes (n,) where there are some.

    ``refused`` (m, *shape): draws between them that were not kept.
    """

    points: Tensor
    classes: Tensor | None
    refused: Tensor


@torch.no_grad()
def tuned(model: Drawable, method: Budgeted, budget: float, draws: int, seed: int) -> Tensor:
    """(1, C) constants of a budget, found on ``draws`` draws of a seed; of these their ratios alone are held.

    Refuses a ratio that is no number.
    """
    check_budget(budget, method.largest)
    return constants_of(model, method, budget, pool_ratios(model, method, draws, seed), seed)


@torch.no_grad()
def pool_ratios(model: Drawable, method: Budgeted, draws: int, seed: int) -> Tensor | None:
    """(n,) log r at the first ``draws`` draws of a seed, fewer where they end; None where nothing is chosen by it."""
    if not isinstance(method, Choosing):
        return None
    found: list[Tensor] = []
    for pool in model.pools(seed):
        found.append(_ratio(pool, method))
        if sum(map(len, found)) >= draws:
            break
    ratios = torch.cat(found)[:draws]
    check_ratios(ratios)
    return ratios


@torch.no_grad()
def constants_of(
    model: Drawable, method: Budgeted, budget: float, ratios: Tensor | None, seed: int
) -> Tensor:
    """(1, C) constants of a budget, from what ``pool_ratios`` gave, or from the first draws of the seed."""
    if isinstance(method, Moving):
        pool = next(iter(model.pools(seed)))
        if method.scored:
            check_ratios(_ratio(pool, method))
        return method.constants(_block(pool, method))
    assert isinstance(method, Choosing)
    assert ratios is not None
    return method.constants(ratios.unsqueeze(0), budget)


def check_ratios(ratios: Tensor) -> None:
    """Refuse log r (n,) of which nothing can be chosen."""
    missing = int(ratios.isnan().sum())
    if missing:
        raise ValueError(
            f"the log ratio must be a number at every draw, got NaN at {missing:,} of {len(ratios):,}; the critic "
            "diverged, or its scores are damaged"
        )
    if len(ratios) and bool((ratios == -torch.inf).all()):
        raise ValueError(
            f"the ratio is 0 at all {len(ratios):,} draws: every budget rejects everything; the critic holds all "
            "samples for impossible"
        )


class Refining:
    """Samples of a model through a refinement at a budget; the constants are found beforehand, by ``tuned``.

    Attributes:
        ledger: what it has cost so far.
    """

    def __init__(
        self,
        model: Drawable,
        method: Budgeted,
        budget: float,
        constants: Tensor | None,
        seed: int = 0,
        first: int = 0,
    ) -> None:
        """``constants``: at K = 1 none; ``first``: the block of the seed's draws at which the stream begins."""
        check_budget(budget, method.largest)
        self._model, self._method, self._budget, self._constants = model, method, budget, constants
        self._seed, self._first = seed, first
        self.ledger = Ledger()

    @torch.no_grad()
    def pieces(self, count: int) -> Iterator[Piece]:
        """``count`` samples, some at a time; fewer where the model's draws come to an end. O(block + K) memory.

        Refuses a ratio that keeps far fewer draws than its constants foretold.
        """
        if self._budget == 1:
            made = self._drawn(count)
        elif isinstance(self._method, Choosing):
            made = self._chosen(count)
        else:
            made = self._moved(count)
        while True:
            before = time.perf_counter()
            piece = next(made, None)
            self.ledger.seconds += time.perf_counter() - before
            if piece is None:
                return
            self.ledger.samples += len(piece.points)
            yield piece

    def _drawn(self, count: int) -> Iterator[Piece]:
        """The model as it is, of which nothing but draws is asked."""
        left = count
        for pool in self._model.pools(self._seed, self._first) if count else ():
            points = pool.points[:left]
            self._count(len(points), Cost())
            left -= len(points)
            yield Piece(points, None if pool.classes is None else pool.classes[: len(points)], points[:0])
            if not left:
                return

    def _moved(self, count: int) -> Iterator[Piece]:
        assert isinstance(self._method, Moving)
        assert self._constants is not None
        cost, left = self._method.cost(self._budget), count
        for pool in self._model.pools(self._seed, self._first) if count else ():
            block = _block(pool, self._method)
            points = self._method.moved(block, self._constants, self._budget)[0, :left]
            if not bool(torch.isfinite(points).all()):
                raise ValueError(
                    f"refinement '{self._method.name}' moved samples beyond all numbers; use a smaller rate"
                )
            self._count(len(points), cost)
            left -= len(points)
            yield Piece(points, None if pool.classes is None else pool.classes[: len(points)], points[:0])
            if not left:
                return

    def _count(self, samples: int, cost: Cost) -> None:
        self.ledger.chosen_from += samples
        self.ledger.draws += round(cost.draws * samples)
        self.ledger.scores += round(cost.scores * samples)
        self.ledger.gradients += round(cost.gradients * samples)

    def _chosen(self, count: int) -> Iterator[Piece]:
        method, left, held = self._method, count, None
        assert isinstance(method, Choosing)
        assert self._constants is not None
        for pool in self._model.pools(self._seed, self._first) if count else ():
            ratio = _ratio(pool, method)
            check_ratios_of_block(ratio)
            now = _joined(held, _Held(pool.points, ratio, pool.uniform, pool.classes))
            given = now.ratio[None], now.uniform[None], self._constants, self._budget
            before = count - left
            keep = method.kept(*given, before=before)[0]
            places = keep.nonzero().flatten()[:left]
            if len(places) == left:
                spent = method.spent(keep, left, self._budget, before)
            else:
                spent = method.settled(keep, self._budget, before)
            self._spend(spent)
            refused = now.points[:spent][~keep[:spent]]
            left -= len(places)
            self._check_patience(count - left)
            held = now.after(spent)
            yield Piece(now.points[places], None if now.classes is None else now.classes[places], refused)
            if not left:  # before the next block is made
                return

    def _spend(self, draws: int) -> None:
        self.ledger.chosen_from += draws
        self.ledger.draws += draws
        self.ledger.scores += draws

    def _check_patience(self, kept: int) -> None:
        seen = self.ledger.draws
        if seen > PATIENCE * self._budget * (kept + 1) + FEWEST:
            raise ValueError(
                f"at budget K = {self._budget:g} one draw in K is kept, but only {kept:,} of {seen:,} were; the ratio "
                "of these draws is not that of those on which its constants were found: ask for a smaller budget"
            )


@dataclass(frozen=True, eq=False)
class _Held:
    """Draws that are looked at together; at the end of a block those of an attempt or a chain that goes on."""

    points: Tensor
    ratio: Tensor
    uniform: Tensor
    classes: Tensor | None

    def after(self, spent: int) -> _Held | None:
        if spent >= len(self.ratio):
            return None
        classes = None if self.classes is None else self.classes[spent:]
        return _Held(self.points[spent:], self.ratio[spent:], self.uniform[spent:], classes)


def _joined(held: _Held | None, new: _Held) -> _Held:
    if held is None:
        return new
    classes = None
    if held.classes is not None and new.classes is not None:
        classes = torch.cat((held.classes, new.classes))
    return _Held(
        torch.cat((held.points, new.points)),
        torch.cat((held.ratio, new.ratio)),
        torch.cat((held.uniform, new.uniform)),
        classes,
    )


def check_ratios_of_block(ratio: Tensor) -> None:
    """Refuse log r (m,) that is no number, wherever in a stream it turns up."""
    if bool(ratio.isnan().any()):
        check_ratios(ratio)


def _ratio(pool: Pool, method: Budgeted) -> Tensor:
    if pool.log_ratio is None:
        raise ValueError(
            f"refinement '{method.name}' needs the ratio of the densities, and none is known; give a critic or scores"
        )
    return pool.log_ratio


def _block(pool: Pool, method: Budgeted) -> Block:
    if pool.block is None:
        raise ValueError(
            f"refinement '{method.name}' moves draws by calling the networks, and only draws are at hand; use one that "
            "chooses among draws, such as obrs"
        )
    return pool.block
