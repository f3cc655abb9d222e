"""What a dataset is to a sweep: its shape, known without loading anything, and a source when asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from trainables.family import Member

if TYPE_CHECKING:
    from trainables.sources.source import Source

__all__ = ["Dataset"]


class Dataset(Member, ABC):
    """A member of the family of datasets.

    Attributes:
        has_law: whether the source knows its exact law.
    """

    has_law: ClassVar[bool] = False

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """Shape of one sample: ``(2,)``, ``(1, 28, 28)``. A class attribute will do."""

    @property
    def classes(self) -> int | None:
        """Number of classes, where samples are labelled."""
        return None

    @abstractmethod
    def source(self) -> Source:
        """The source of batches; here files are read and tensors made."""
