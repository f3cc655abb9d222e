"""What a metric is: entries of a catalogue, and a function of a pair of sample sets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from trainables.declarations import are_counts, blamed, written
from trainables.family import Member, require

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.metrics.pair import Pair
    from trainables.metrics.pairs import Pairs
    from trainables.precision_recall import Frontier, PRCurve

__all__ = ["CUSTOMARY", "Direction", "Entry", "Metric", "Scores", "scores_of_rows"]

Direction = Literal["max", "min"]

CUSTOMARY = 10_000
"""Samples a side at which biased scores are customarily given: their intervals reach from there to endless samples."""


@dataclass(frozen=True)
class Entry:
    """One number in the catalogue: what readers, reports and figures need to know of it.

    Attributes:
        key: under which it is stored: ``precision``, ``prd.f8``.
        title: what a reader sees.
        sentence: what it says, in one sentence.
        direction: where better lies, None where neither end is better.
        low, high: least and greatest value it can take, None where there is no bound.
        unit: empty for a pure number.
        diagnostic: it tells how training went, not what the samples are worth: no goal, no axis beyond K = 1.
    """

    key: str
    title: str
    sentence: str
    direction: Direction | None = None
    low: float | None = None
    high: float | None = None
    unit: str = ""
    diagnostic: bool = False

    def plain(self) -> dict[str, Any]:
        """What is not the default, for JSON."""
        return {k: v for k, v in asdict(self).items() if v is not None and v is not False and v != ""}


@dataclass(frozen=True, eq=False)
class Scores:
    """What a metric found.

    Attributes:
        values: one number per entry; one that could not be computed may be absent.
        intervals: (low, high) by key, where the pair asked for them (``pair.draws``).
        curves: precision-recall curves by the metric's name.
        left_out: why entries are absent, if they are.
        kinds: how an interval was made, by key, in a word or two; one without is shown as ``given``.
        withheld: by key, why there is no interval although one was asked for, in a sentence.
        frontiers: divergence frontiers by the key of their area.
    """

    values: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    curves: Mapping[str, PRCurve] = field(default_factory=dict)
    left_out: str | None = None
    kinds: Mapping[str, str] = field(default_factory=dict)
    withheld: Mapping[str, str] = field(default_factory=dict)
    frontiers: Mapping[str, Frontier] = field(default_factory=dict)


def scores_of_rows(values: Mapping[str, Tensor]) -> list[Scores]:
    """Scores of B sets from one number per set and key, (B,) each."""
    columns = {key: column.tolist() for key, column in values.items()}
    return [Scores(dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)]


class Metric(Member, ABC):
    """A member of the family of metrics.

    Attributes:
        entries: what it measures, in the order of tables.
        needs: beyond features: ``law`` (the exact law of the data), ``logits`` (of the extractor).
        everyday: its place among what a sweep measures when ``evaluation.metrics`` is left open; None if it is not
            among them.
    """

    entries: ClassVar[tuple[Entry, ...]]
    needs: ClassVar[frozenset[str]] = frozenset()
    everyday: ClassVar[int | None] = None

    @classmethod
    def misdeclared(cls) -> str | None:
        """Entries are entries, needs are words, a place is a number."""
        entries: Any = getattr(cls, "entries", None)
        needs: Any = cls.needs
        everyday: Any = cls.everyday
        if not isinstance(entries, tuple | list):
            return f"must have a tuple of Entry as entries, got {written(entries)}"
        odd = [entry for entry in entries if not _is_entry(entry)]
        if odd:
            return (
                "must have entries such as Entry(key, title, sentence, direction), all text, direction 'max', 'min' "
                f"or None, got {written(odd[0])}"
            )
        if not isinstance(needs, frozenset | set):
            return f"must have a set such as {{'law'}} as needs, got {written(needs)}"
        if everyday is not None and not isinstance(everyday, int):
            return f"must have a whole number or None as everyday, got {written(everyday)}"
        return super().misdeclared()

    def check_answers(self) -> None:
        """What it needs and looks at are whole numbers."""
        with blamed(f"least() and orders() of metric '{self.name}' must give whole numbers"):
            least, orders = self.least(), self.orders(3)
        require(
            are_counts(least) and len(least) == 2,
            f"least() of metric '{self.name}' must give two whole numbers, got {written(least)}",
        )
        require(
            are_counts(orders, 1),
            f"orders() of metric '{self.name}' must give whole numbers ≥ 1, got {written(orders)}",
        )

    @abstractmethod
    def measure(self, pair: Pair) -> Scores:
        """The scores of generated samples against real ones."""

    def measure_all(self, pairs: Pairs) -> list[Scores]:
        """The scores of every set: one by one and on the CPU, unless a metric knows a way to take all at once.

        Whoever overrides it gives the same numbers as ``measure``, and gets the samples on the device of the models.
        """
        return [self.measure(pair) for pair in pairs.one_by_one()]

    def least(self) -> tuple[int, int]:
        """Samples that it needs in either set, and in both together."""
        return 1, 2

    def left_out(self, logits: bool) -> str | None:
        """Why it is not measured on features that come with or without ``logits``; None if it is."""
        return None

    def orders(self, k: int) -> tuple[int, ...]:
        """Neighbours whose balls it looks at: all metrics of a pair share one pass over the distances."""
        return ()


def _is_entry(value: object) -> bool:
    return (
        isinstance(value, Entry)
        and all(isinstance(text, str) for text in (value.key, value.title, value.sentence, value.unit))
        and value.direction in ("max", "min", None)
        and all(bound is None or isinstance(bound, int | float) for bound in (value.low, value.high))
    )
