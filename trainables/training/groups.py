"""Trials of one pack that compute alike, computed together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import torch
from torch import Tensor

from trainables.family import Member

__all__ = ["Group", "Groups"]

M = TypeVar("M", bound=Member)


@dataclass(frozen=True)
class Group(Generic[M]):
    """Trials whose members are equal but for their ``rows``.

    Attributes:
        member: one of them, to ask for everything that is not a row.
        rows: (G,) positions of the trials in the pack.
        columns: values of the members' ``rows`` that are numbers, (G,) each.
        whole: whether the group is the whole pack, so that nothing has to be picked out.
    """

    member: M
    rows: Tensor
    columns: Mapping[str, Tensor]
    whole: bool

    def pick(self, values: Tensor) -> Tensor:
        """The group's part of (T, …)."""
        return values if self.whole else values[self.rows]


class Groups(Generic[M]):
    """A pack's members, grouped; results are put back in the order of trials."""

    def __init__(self, members: Sequence[M], device: torch.device) -> None:
        found: dict[tuple[object, ...], list[int]] = {}
        for index, member in enumerate(members):
            found.setdefault(member.group(), []).append(index)
        self.groups = [
            Group(
                members[rows[0]],
                torch.tensor(rows, device=device),
                _columns([members[i] for i in rows], device),
                whole=len(found) == 1,
            )
            for rows in found.values()
        ]
        self._restore = torch.cat([group.rows for group in self.groups]).argsort()

    def each(self, compute: Callable[[Group[M]], Tensor]) -> Tensor:
        """Compute (G, …) group by group → (T, …)."""
        return self.join([compute(group) for group in self.groups])

    def join(self, parts: Sequence[Tensor]) -> Tensor:
        """One (G, …) per group → (T, …)."""
        return torch.cat(list(parts))[self._restore] if len(parts) > 1 else parts[0]


def _columns(members: Sequence[Member], device: torch.device) -> dict[str, Tensor]:
    columns = {}
    for name in members[0].rows:
        values = [getattr(member, name) for member in members]
        if all(isinstance(value, int | float) for value in values):
            columns[name] = torch.tensor([float(value) for value in values], device=device)
    return columns
