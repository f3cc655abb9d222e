"""Tensor files are outlined without torch, and agree with what torch reads from them."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from typing import Any

import pytest
import torch

from explorer.errors import UserError
from explorer.measure.torch_files import outline_torch, read_torch
from tests.explorer.measure.mangled.archives import zip_bytes
from tests.explorer.measure.mangled.evil import EXECUTED, Evil
from tests.explorer.measure.mangled.tensors import tensor_pickle
from trainables.tensor_files import LARGEST_PICKLE

X = torch.arange(12.0).reshape(4, 3)


@pytest.mark.parametrize(
    "tensor",
    [
        X,
        X.T,
        X[1:, ::2],
        X.half(),
        X.bfloat16(),
        X.double(),
        X.long(),
        X.byte(),
        X > 3,
        torch.nn.Parameter(X),
    ],
)
def test_outline_and_tensor_agree(tensor: torch.Tensor, tmp_path: Path) -> None:
    labels = torch.arange(len(tensor))
    torch.save(tensor, tmp_path / "bare.pt")
    torch.save({"features": tensor, "labels": labels, "note": "text"}, tmp_path / "named.pt")
    torch.save(OrderedDict(features=tensor, labels=labels), tmp_path / "ordered.pt")
    for name in ("bare.pt", "named.pt", "ordered.pt"):
        found = outline_torch(tmp_path / name)
        assert found.shape == tuple(tensor.shape)
        assert found.dtype == str(tensor.dtype).removeprefix("torch.")
        array = read_torch(tmp_path / name, found.array)
        assert torch.equal(torch.from_numpy(array).to(tensor.dtype), tensor)
        assert str(array.dtype) == found.dtype.replace("bfloat16", "float32")
    assert outline_torch(tmp_path / "named.pt").labelled


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ([X], "must hold one array"),
        ({"a": X, "b": X}, "got a, b"),
        ({"features": X, "labels": [0, 1]}, "must be an array of integers 0, 1, …, got list"),
        (X * 1j, "must hold real numbers, got complex64"),
        (X.to_sparse(), "it needs torch._utils._rebuild_sparse_tensor, which is no plain tensor"),
        (torch.zeros(1).expand(4, 0), r"got shape \(4, 0\)"),
        (torch.nn.Linear(2, 2), "tensors do not need|which is no plain tensor"),
    ],
)
def test_other_values_are_refused(value: Any, told: str, tmp_path: Path) -> None:
    torch.save(value, tmp_path / "x.pt")
    with pytest.raises(UserError, match=told):
        outline_torch(tmp_path / "x.pt")


def _archive(pickled: bytes, storage: bytes, method: int = 0) -> bytes:
    members = [("x/data.pkl", 0, pickled, len(pickled)), ("x/data/0", method, storage, len(storage))]
    return zip_bytes(members)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (_archive(tensor_pickle(6, (3, 2), (2, 1)), bytes(23)), "a storage is not as long as it says"),
        (_archive(tensor_pickle(2**60, (3, 2), (2, 1)), bytes(24)), "a storage is not as long as it says"),
        (_archive(tensor_pickle(6, (4, 2), (2, 1)), bytes(24)), "a tensor reaches beyond its storage"),
        (_archive(tensor_pickle(6, (3, 2), (2, 1), 1), bytes(24)), "a tensor reaches beyond its storage"),
        (_archive(tensor_pickle(6, (3, 2), (-2, 1)), bytes(24)), "a tensor has no shape there is"),
        (_archive(tensor_pickle(6, (3, 2), (2, 1)), bytes(24), 8), "members are packed"),
        (_archive(bytes(LARGEST_PICKLE + 1), b""), "data.pkl is larger than"),
        (zip_bytes([("x/data.pkl", 0, b"N.", 2), ("x/data/0", 0, b"", 2**31)]), "its members overlap"),
        (zip_bytes([("a", 0, b"", 0)]), "it has no data.pkl"),
        (b"\x80\x02.", "no archive as torch has written them since 1.6"),
    ],
)
def test_sizes_that_lie_are_refused(content: bytes, told: str, tmp_path: Path) -> None:
    (tmp_path / "x.pt").write_bytes(content)
    with pytest.raises(UserError, match=f"must hold tensors without pickled objects.*{told}"):
        outline_torch(tmp_path / "x.pt")


def test_what_a_tensor_is_a_part_of_fits_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.save(torch.zeros(1000)[:5], tmp_path / "x.pt")
    monkeypatch.setattr("explorer.measure.torch_files.available", lambda: 3999)
    with pytest.raises(UserError, match="'features' is a part of 4000 bytes; save its clone"):
        read_torch(tmp_path / "x.pt", "features")


def test_nothing_is_executed(tmp_path: Path) -> None:
    torch.save({"features": X, "labels": Evil(tmp_path)}, tmp_path / "x.pt")
    with pytest.raises(UserError, match=r"it needs (posix|os)\.mkdir, which is no plain tensor"):
        outline_torch(tmp_path / "x.pt")
    with pytest.raises(UserError, match="without pickled objects"):
        read_torch(tmp_path / "x.pt", "features")
    assert not (tmp_path / EXECUTED).exists()
