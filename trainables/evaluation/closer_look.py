"""A closer look at some of the sets that are measured, while their features are at hand."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from torch import Tensor

from trainables.evaluation.estimators import Compared, estimated_curves
from trainables.evaluation.findings import EstimatedCurve, Findings, Witnesses
from trainables.evaluation.witnesses import find_witnesses
from trainables.faults import reason_of, spoils_device
from trainables.measures.knn.neighbours import BallCounts, radii_of
from trainables.metrics.pairs import Pairs

__all__ = ["CloserLook"]


class CloserLook:
    """Finds witnesses and curves of those sets that are ``wanted``, by their numbers; what fails costs nothing else.

    Attributes:
        found: by the number of a set.
    """

    def __init__(
        self, wanted: Collection[int], real: Tensor, span: tuple[float, float], features: str
    ) -> None:
        """``real``: the real samples (N, *shape) themselves; ``features`` names the space."""
        self._wanted = frozenset(wanted)
        self._real = real
        self._span = span
        self._features = features
        self.found: dict[int, Findings] = {}

    def take(self, pairs: Pairs, sets: Sequence[int]) -> None:
        """Sets that were measured, and the numbers they have; raises only what leaves the device unusable."""
        rows = [row for row, number in enumerate(sets) if number in self._wanted]
        if not rows:
            return
        try:
            found = self._look(pairs, rows)
        except Exception as error:
            if spoils_device(error):
                raise
            why = f"witnesses and curves are left out ({reason_of(error)})"
            found = [Findings(left_out=(why,)) for _ in rows]
        self.found |= {sets[row]: one for row, one in zip(rows, found, strict=True)}

    def _look(self, pairs: Pairs, rows: Sequence[int]) -> list[Findings]:
        chosen = list(rows)
        fakes, counts = pairs.fake[chosen], _counts(pairs, chosen)
        curves, left_out = estimated_curves(Compared(pairs.real, fakes, counts))
        found = []
        for at, row in enumerate(rows):
            witnesses = self._witnesses(pairs, fakes[at], pairs.points[row], _row(counts, at))
            found.append(_findings(witnesses, curves[at], left_out))
        return found

    def _witnesses(
        self, pairs: Pairs, fake: Tensor, points: Tensor, counts: BallCounts
    ) -> Witnesses | Exception:
        try:
            k = counts.k
            known = pairs.one.remember(f"radii-{k}", lambda: {"radii": radii_of(pairs.real, (k,))})
            samples = self._real, points
            return find_witnesses(
                pairs.real, fake, known["radii"][:, 0], counts, samples, self._span, self._features
            )
        except Exception as error:
            if spoils_device(error):
                raise
            return error


def _counts(pairs: Pairs, rows: list[int]) -> BallCounts:
    """Of some sets: as the metrics had them, else made for these alone."""
    k = pairs.one.k
    if k in pairs.one.orders and not pairs.one.draws:
        every = pairs.balls(k)
        return _row(every, rows)
    alone = replace(pairs, fake=pairs.fake[rows], points=pairs.points[rows], logits=None, _counts={})
    alone.one = replace(pairs.one, orders=(k,))
    return alone.balls(k)


def _row(counts: BallCounts, rows: int | list[int]) -> BallCounts:
    return BallCounts(
        counts.real_balls_around_fake[rows],
        counts.fakes_in_real_ball[rows],
        counts.fake_balls_around_real[rows],
        counts.reals_in_fake_ball[rows],
        counts.k,
    )


def _findings(
    witnesses: Witnesses | Exception, curves: Sequence[EstimatedCurve], left_out: Sequence[str]
) -> Findings:
    if isinstance(witnesses, Witnesses):
        return Findings(witnesses, tuple(curves), tuple(left_out))
    why = f"witnesses are left out ({reason_of(witnesses)})"
    return Findings(None, tuple(curves), (*left_out, why))
