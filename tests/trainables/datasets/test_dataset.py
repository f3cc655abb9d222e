"""What a dataset must say of itself, and what it may leave out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from trainables.datasets import DATASETS, Dataset


@dataclass(frozen=True)
class Plain(Dataset):
    """No more than it must."""

    name: ClassVar[str] = "plain"
    shape: ClassVar[tuple[int, ...]] = (3,)  # type: ignore[misc]

    def source(self) -> Any:
        return None


def test_shape_and_source_are_all_it_must_say() -> None:
    member = DATASETS.add(Plain)()
    DATASETS.forget("plain")
    assert (member.shape, member.classes, member.has_law) == ((3,), None, False)
    assert member.signature() == ["plain", 1, {}]


@pytest.mark.parametrize("left_out", ["shape", "source"])
def test_what_is_left_out_is_asked_for(left_out: str) -> None:
    given: dict[str, Any] = {"shape": (3,), "source": lambda self: None}
    del given[left_out]
    kind = dataclass(frozen=True)(type("Half", (Dataset,), {"name": "half", **given}))
    with pytest.raises(ValueError, match=f"Half must define {left_out}$"):
        DATASETS.add(kind)
