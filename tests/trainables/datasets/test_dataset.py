"""What a dataset must say of itself, and what it may leave out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
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
    assert (member.shape, member.classes, member.has_law) == ((3,), None, False)
    assert member.signature() == ["plain", 1, {}]


@pytest.mark.parametrize("left_out", ["shape", "source"])
def test_what_is_left_out_is_asked_for(left_out: str) -> None:
    given: dict[str, Any] = {"shape": (3,), "source": lambda self: None}
    del given[left_out]
    kind = dataclass(frozen=True)(type("Half", (Dataset,), {"name": "half", **given}))
    with pytest.raises(ValueError, match=f"Half must define {left_out}$"):
        DATASETS.add(kind)


def made(**said: Any) -> Any:
    given: dict[str, Any] = {"name": "odd", "shape": (3,), "source": lambda self: None, **said}
    return dataclass(frozen=True)(type("Odd", (Dataset,), given))


SHAPE = "dataset 'odd' must have a shape of whole numbers ≥ 1, such as (2,) or (1, 28, 28), got "


@pytest.mark.parametrize("shape", [None, 2, "ab", [2], (), (0,), (-2,), (2.0,), (True,), ("a",), (2, None)])
def test_a_shape_is_a_tuple_of_counts(shape: Any) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        made(shape=shape)()
    assert str(refusal.value) == f"{SHAPE}{shape!r}"


@pytest.mark.parametrize("shape", [(10**12,), (10**5, 10**5), (10**5000,)])
def test_a_sample_fits_into_memory(shape: Any) -> None:
    assert made(shape=(10**8,))().shape == (10**8,)
    with pytest.raises(
        ValueError, match=r"^dataset 'odd' must have a shape of at most 100,000,000 numbers, got "
    ):
        made(shape=shape)()


@pytest.mark.parametrize("classes", [0, -1, 2.5, "ab", True, (3,)])
def test_classes_are_counted_or_unknown(classes: Any) -> None:
    assert made(classes=np.int64(2), shape=(np.int64(2),))().classes == 2
    with pytest.raises(ValueError, match=r"must have a whole number ≥ 1 of classes, or None, got "):
        made(classes=classes)()


def test_a_shape_that_cannot_be_told_is_the_datasets_fault() -> None:
    with pytest.raises(
        ValueError, match=r"^dataset 'odd' must have a shape and classes, but it raised ZeroDiv"
    ):
        made(shape=property(lambda self: (1 // 0,)))()


def test_values_are_checked_before_the_shape_made_of_them() -> None:
    def check(self: Any) -> None:
        raise ValueError("sides must be positive")

    with pytest.raises(ValueError, match=r"^sides must be positive$"):
        made(shape=(0,), check=check)()
