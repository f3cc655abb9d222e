"""Arguments at the door: what is one is made plain, anything else is one sentence that says what was given."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from explorer.api.arguments import (
    file_path,
    flag,
    is_a,
    is_path,
    number,
    numbers,
    plain_tensor,
    text,
    text_or_none,
    whole_number,
)
from explorer.errors import UserError, shown

HUGE = 10**5000
"""More digits than Python writes."""

HUGE_CASE = pytest.param(HUGE, id="huge")


class Lost(os.PathLike[str]):
    def __fspath__(self) -> str:
        raise KeyError("nowhere")


class OfBytes:
    """A path that is bytes underneath."""

    def __fspath__(self) -> bytes:
        return b"x"


def deep() -> list[Any]:
    """A list nested deeper than Python writes."""
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    return value


@pytest.mark.parametrize("value", [5, np.int64(5), np.uint8(5)])
def test_whole_numbers_are_those_of_python_and_numpy(value: Any) -> None:
    found = whole_number(value, "k", 1)
    assert (found, type(found)) == (5, int)


@pytest.mark.parametrize(
    "value", ["5", None, [5], np.array(3), True, np.True_, 1.5, 5.0, 0, -1, 1 << 63, HUGE_CASE]
)
def test_what_is_no_whole_number_is_told(value: Any) -> None:
    with pytest.raises(UserError) as error:
        whole_number(value, "k", 1)
    assert str(error.value) == f"k must be a whole number from 1 to 2^63 - 1, got {shown(value)}"


@pytest.mark.parametrize(
    "value",
    [
        2,
        2.0,
        np.float32(2),
        np.int8(2),
        Fraction(2),
        Decimal(2),
        np.array(2),
        torch.tensor(2.0, requires_grad=True),
    ],
)
def test_numbers_are_those_of_python_numpy_and_torch(value: Any) -> None:
    found = number(value, "K")
    assert (found, type(found)) == (2.0, float)


def test_numbers_need_not_be_finite() -> None:
    assert math.isnan(number(math.nan, "K"))
    assert number(math.inf, "K") == math.inf


@pytest.mark.parametrize(
    "value",
    [
        "2",
        None,
        [2],
        1j,
        True,
        np.array([2]),
        np.complex64(1),
        torch.ones(1),
        HUGE_CASE,
        Decimal("sNaN"),
        object(),
    ],
)
def test_what_is_no_number_is_told(value: Any) -> None:
    with pytest.raises(UserError) as error:
        number(value, "K")
    assert str(error.value) == f"K must be a number, got {shown(value)}"


def test_a_tensor_without_numbers_is_told() -> None:
    with pytest.raises(UserError, match="K must be a number, got tensor"):
        number(torch.empty((), device="meta"), "K")


@pytest.mark.parametrize(
    "values",
    [
        [0.25, 0.75],
        (0.25, 0.75),
        np.array([0.25, 0.75]),
        torch.tensor([0.25, 0.75], requires_grad=True),
        torch.tensor([0.25, 0.75], dtype=torch.bfloat16),
        [torch.tensor(0.25), np.float64(0.75)],
        {"a": 0.25, "b": 0.75}.values(),
    ],
)
def test_numbers_come_in_any_list(values: Any) -> None:
    assert numbers(values, "real") == [0.25, 0.75]
    assert numbers(iter([1, 2]), "real") == [1.0, 2.0]


@pytest.mark.parametrize(
    "values", [None, 5, "abc", b"abc", object(), {0.5: 1}, {0.5}, np.array(3), np.eye(2), torch.eye(2), list]
)
def test_what_is_no_list_of_numbers_is_told(values: Any) -> None:
    with pytest.raises(UserError) as error:
        numbers(values, "real")
    assert str(error.value).startswith(f"real must be a list of numbers, got {shown(values)}; ")


@pytest.mark.parametrize(
    "values", [["a"], [1j], [[0.5], [0.5]], [None], [HUGE], np.ma.array([1.0], mask=[True])]
)
def test_every_number_of_a_list_is_one(values: Any) -> None:
    with pytest.raises(UserError, match="every number of real must be a number, got "):
        numbers(values, "real")


def test_text_is_text() -> None:
    assert text("λ\n", "it") == text_or_none("λ\n", "it") == "λ\n"
    assert text_or_none(None, "it") is None


@pytest.mark.parametrize("value", [5, b"x", ["x"], object(), np.array("x"), "a\0b", "\ud800"])
def test_what_is_no_text_is_told(value: Any) -> None:
    for check in (text, text_or_none):
        with pytest.raises(UserError, match="it must be text"):
            check(value, "it")


def test_a_path_is_text_underneath() -> None:
    assert file_path("a", "it") == file_path(Path("a"), "it") == Path("a")
    assert not is_path(OfBytes())


@pytest.mark.parametrize(
    "value", [None, 5, b"x", [], object(), OfBytes(), Lost(), "a\0b", Path("a\0b"), "\ud800"]
)
def test_what_is_no_path_is_told(value: Any) -> None:
    with pytest.raises(UserError, match="it must be a path"):
        file_path(value, "it")


@pytest.mark.parametrize("value", [True, False, 1, 0, np.True_, np.int64(0)])
def test_flags_are_true_or_false(value: Any) -> None:
    found = flag(value, "it")
    assert (found, type(found)) == (bool(value), bool)


@pytest.mark.parametrize("value", [None, "no", 2, 0.0, [], np.array([True, False]), object()])
def test_what_is_no_flag_is_told(value: Any) -> None:
    with pytest.raises(UserError, match="it must be True or False, got "):
        flag(value, "it")


def test_tensors_become_what_numpy_reads() -> None:
    numbers = torch.tensor([[1.0, 2.0]])
    turned = torch.complex(numbers, -numbers).conj()
    assert turned.is_conj()
    assert turned.imag.is_neg()
    for given in (numbers, torch.nn.Parameter(numbers), numbers.bfloat16(), turned.real, turned.imag):
        assert np.asarray(plain_tensor(given)).tolist() == [[1.0, 2.0]]
    assert np.asarray(plain_tensor(numbers.bfloat16())).dtype == np.float32
    assert np.asarray(plain_tensor(turned)).tolist() == [[1 + 1j, 2 + 2j]]
    with pytest.raises(RuntimeError):
        plain_tensor(torch.empty(2, device="meta"))


def test_kinds_of_libraries_are_known_without_them() -> None:
    assert is_a(torch.ones(1), "torch", "Tensor")
    assert not is_a(np.ones(1), "torch", "Tensor")
    assert not is_a(torch.ones(1), "no.such.module", "Tensor")
    code = (
        "import sys; from explorer.api.arguments import is_a\n"
        "print(is_a(1, 'torch', 'Tensor'), 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
