"""What a dataset is to a sweep: its shape, known without loading anything, and a source when asked."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from trainables.declarations import are_counts, blamed, written
from trainables.family import Member, require

if TYPE_CHECKING:
    from trainables.sources.source import Source

__all__ = ["Dataset"]

LARGEST_SAMPLE = 10**8
"""Numbers of one sample; beyond lie mistyped zeros."""


class Dataset(Member, ABC):
    """A member of the family of datasets.

    Attributes:
        has_law: whether the source knows its exact law.
        placing: fields that say where the data lies and how it is read; they change no sample and name no trial.
    """

    has_law: ClassVar[bool] = False
    placing: ClassVar[tuple[str, ...]] = ()

    def changed(self) -> dict[str, Any]:
        """The fields that differ from their defaults, but for those of ``placing``."""
        return {name: value for name, value in super().changed().items() if name not in self.placing}

    def check_answers(self) -> None:
        """It has a shape, and perhaps classes."""
        what = f"dataset '{self.name}' must have"
        with blamed(f"{what} a shape and classes"):
            shape, classes = self.shape, self.classes
        require(
            isinstance(shape, tuple) and bool(shape) and are_counts(shape, 1),
            f"{what} a shape of whole numbers ≥ 1, such as (2,) or (1, 28, 28), got {written(shape)}",
        )
        require(
            math.prod(shape) <= LARGEST_SAMPLE,
            f"{what} a shape of at most {LARGEST_SAMPLE:,} numbers, got {written(shape)}",
        )
        require(
            classes is None or are_counts([classes], 1),
            f"{what} a whole number ≥ 1 of classes, or None, got {written(classes)}",
        )

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """Shape of one sample: ``(2,)``, ``(1, 28, 28)``. A class attribute will do."""

    @property
    def classes(self) -> int | None:
        """Number of classes, where samples are labelled."""
        return None

    @property
    def held_out_count(self) -> int | None:
        """Samples that training never sees, where that is known without a look at the data."""
        return None

    def check_use(self) -> None:
        """Refuse what no trial could be trained on, where that is seen without reading data: a field not filled in."""

    @abstractmethod
    def source(self) -> Source:
        """The source of batches; here files are read and tensors made."""
