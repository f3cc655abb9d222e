"""Pickles of tensors are followed as data; whatever else a pickle can do is refused."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.explorer.measure.mangled.evil import EXECUTED, Evil
from trainables.pickles import Call, Name, read_pickle

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text() | st.floats(allow_nan=False),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text() | st.integers(0, 99), inner) | st.lists(inner).map(tuple)
    ),
    max_leaves=20,
)


def nothing_stored(place: Any) -> Any:
    raise AssertionError(place)


@given(PLAIN)
def test_plain_values_come_back(value: Any) -> None:
    assert read_pickle(pickle.dumps(value, protocol=2), (), nothing_stored) == value


def test_calls_are_told_and_not_made(tmp_path: Path) -> None:
    content = pickle.dumps([Evil(tmp_path)], protocol=2)
    (found,) = read_pickle(content, ("posix.mkdir", "os.mkdir"), nothing_stored)
    assert isinstance(found, Call)
    assert found.arguments == (str(tmp_path / EXECUTED),)
    with pytest.raises(ValueError, match=r"it needs (posix|os)\.mkdir, which is no plain tensor"):
        read_pickle(content, ("torch.FloatStorage",), nothing_stored)
    assert not (tmp_path / EXECUTED).exists()


def test_storages_are_asked_for() -> None:
    content = b"\x80\x02(X\x07\x00\x00\x00storagectorch\nFloatStorage\nK\x05tQ."
    found = read_pickle(content, ("torch.FloatStorage",), lambda place: place)
    assert found == ("storage", Name("torch.FloatStorage"), 5)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b".",
        b"K\x01K\x02.",
        b"\x80\x06N.",
        b"h\x05.",
        b"K\x01\x86.",
        b"t.",
        b"K\x01K\x02R.",
        b"(K\x01u.",
        b"}(K\x01u.",
        b"]N\x85s.",
        b"cos\nsystem\nX\x01\x00\x00\x00a\x85\x81.",
        b"(X\x01\x00\x00\x00aios\nsystem\n.",
        b"}}b.",
        b"X\xff\xff\xff\x7f",
        b"}" + b")" + b"\x85" * 9_000 + b"K\x01s.",  # a key of so many tuples in one another
        b"})" + b"".join(b"q" + bytes([i]) + b"h" + bytes([i]) + b"\x86" for i in range(60)) + b"K\x01s.",
    ],
)
def test_other_pickles_are_refused(content: bytes) -> None:
    with pytest.raises((ValueError, IndexError, KeyError)):
        read_pickle(content, ("os.system",), nothing_stored)
