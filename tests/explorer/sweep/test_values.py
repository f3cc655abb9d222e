"""Values from Python become those of a sweep file, or are refused in one sentence."""

from __future__ import annotations

from collections import OrderedDict, UserDict
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
import torch
import yaml
from hypothesis import given
from hypothesis import strategies as st

from explorer.errors import UserError
from explorer.sweep.values import plain_mapping, plain_value

TEXT = st.text(st.characters(exclude_categories=["Cc", "Cs"]))
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63) + 1, 2**63 - 1) | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=10,
)


@given(PLAIN)
def test_what_a_file_can_hold_stays_as_it_is(value: Any) -> None:
    assert plain_value(value, "space") == value


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (np.linspace(0, 1, 3), [0.0, 0.5, 1.0]),
        ((1, (2.5, "x")), [1, [2.5, "x"]]),
        (range(3), [0, 1, 2]),
        ({3, 1}, [1, 3]),
        (np.int64(4), 4),
        (np.bool_(True), True),
        (Path("a") / "b", "a/b"),
        (OrderedDict(lam=np.float32(0.5)), {"lam": 0.5}),
    ],
)
def test_what_python_has_beside_it_is_written_as_a_file_would(value: Any, plain: Any) -> None:
    found = plain_value(value, "space")
    assert yaml.safe_load(yaml.safe_dump(found)) == plain


LOOP: list[Any] = []
LOOP.append(LOOP)
WIDE: list[Any] = []
for _ in range(15):
    WIDE = [WIDE, WIDE, WIDE]


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (
            {"lam": [Fraction(1, 3)]},
            "'space' must be made of numbers, text, lists and mappings, got Fraction",
        ),
        ({1: 2}, "the keys of 'space' must be text, got 1"),
        ("a\0b", "'space' must be plain text, got the control character U+0000"),
        (10**400, "whole numbers lie within ±2^63, got one of 1329 bits in 'space'"),
        (LOOP, "'space' must be nested at most 20 levels deep; does it hold itself?"),
        (WIDE, "'space' must hold at most 5,000 values"),
    ],
)
def test_anything_else_is_refused(value: Any, sentence: str) -> None:
    with pytest.raises(UserError) as error:
        plain_value(value, "space")
    assert str(error.value).startswith(sentence)


class Mirror:
    def tolist(self) -> Mirror:
        return self


class Thorny(UserDict[str, Any]):
    def items(self) -> Any:
        raise KeyError("thorn")

    def __fspath__(self) -> str:
        raise OSError("nowhere")


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (torch.ones(2, device="meta"), "'space' must hold plain values, but reading it raised NotImpl"),
        (torch.eye(2).to_sparse(), "'space' must hold plain values, but reading it raised "),
        (Thorny(), "'space' must hold plain values, but reading it raised "),
        ([1, {"a": Thorny()}], "'space' must hold plain values, but reading it raised "),
        (Mirror(), "'space' must be nested at most"),
        (Mock(), "'space' must be nested at most"),
    ],
)
def test_what_cannot_be_read_is_refused(value: Any, told: str) -> None:
    with pytest.raises(UserError) as refusal:
        plain_value(value, "space")
    assert str(refusal.value).startswith(told)


def test_values_of_a_mapping_are_named_by_their_keys() -> None:
    assert plain_mapping({"a": (1,), "b": np.int64(2)}, "a sweep") == {"a": [1], "b": 2}
    with pytest.raises(UserError, match="'b' must be made of numbers, text"):
        plain_mapping({"a": 1, "b": object()}, "a sweep")
    with pytest.raises(UserError, match="the keys of 'a sweep' must be text, got 5"):
        plain_mapping({5: 1}, "a sweep")
    with pytest.raises(UserError, match="'a sweep' must hold plain values, but reading it raised KeyError"):
        plain_mapping(Thorny(), "a sweep")
