"""Files of torch are read without it, to the same numbers, and what lies or needs more than tensors is refused."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.explorer.measure.mangled.archives import zip_bytes
from tests.explorer.measure.mangled.evil import EXECUTED, Evil
from trainables.pickles import Call
from trainables.tensor_files import StoredTensor, _Storage, _tensor, check_old_file, read_array, read_stored

X = torch.arange(24.0).reshape(4, 3, 2)
DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"]
VIEWS = {
    "whole": lambda x: x,
    "turned": lambda x: x.permute(2, 0, 1),
    "part": lambda x: x[1:, ::2, 1],
    "repeated": lambda x: x[1:2].expand(5, 3, 2),
    "one number": lambda x: x[3, 2, 1],
    "nothing": lambda x: x[:0],
    "parameter": lambda x: torch.nn.Parameter(x, requires_grad=False),
}


@given(dtype=st.sampled_from(DTYPES), view=st.sampled_from(sorted(VIEWS)))
def test_every_view_of_every_kind_is_what_torch_reads(
    dtype: str, view: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("files") / "x.pt"
    tensor = VIEWS[view](X.to(getattr(torch, dtype)))
    torch.save({"a": tensor, "b": X}, path)
    found = read_stored(path)["a"]
    assert (found.dtype, found.shape) == (dtype, tuple(tensor.shape))
    array = read_array(path, found)
    assert torch.equal(torch.from_numpy(array).to(tensor.dtype), torch.load(path, weights_only=True)["a"])


def test_a_file_of_another_byte_order_is_turned(tmp_path: Path) -> None:
    torch.save(X, tmp_path / "x.pt")
    with zipfile.ZipFile(tmp_path / "x.pt") as whole, zipfile.ZipFile(tmp_path / "big.pt", "w") as big:
        for name in whole.namelist():
            content = whole.read(name)
            if name.endswith("data/0"):
                content = np.frombuffer(content, "<f4").astype(">f4").tobytes()
            big.writestr(name, b"big" if name.endswith("/byteorder") else content)
    found = read_array(tmp_path / "big.pt", read_stored(tmp_path / "big.pt"))
    assert torch.equal(torch.from_numpy(found), torch.load(tmp_path / "big.pt", weights_only=True))
    assert np.array_equal(found, X.numpy())


def test_a_damaged_storage_does_not_have_its_sum(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    torch.save(X, buffer)
    content = bytearray(buffer.getvalue())
    content[content.index(X.numpy().tobytes()) + 9] ^= 1
    (tmp_path / "x.pt").write_bytes(content)
    with pytest.raises(zipfile.BadZipFile, match="Bad CRC-32"):
        read_array(tmp_path / "x.pt", read_stored(tmp_path / "x.pt"))


def test_values_beside_tensors_are_told_as_they_are(tmp_path: Path) -> None:
    torch.save({"a": X, "b": [1, "c"], 3: None}, tmp_path / "x.pt")
    found = read_stored(tmp_path / "x.pt")
    assert isinstance(found["a"], StoredTensor)
    assert (found["b"], found[3]) == ([1, "c"], None)
    torch.save(torch.nn.Linear(2, 2).state_dict(), tmp_path / "x.pt")
    assert {name: value.shape for name, value in read_stored(tmp_path / "x.pt").items()} == {
        "weight": (2, 2),
        "bias": (2,),
    }


def test_a_view_that_is_computed_later_is_refused(tmp_path: Path) -> None:
    torch.save(torch._neg_view(X), tmp_path / "x.pt")
    with pytest.raises(ValueError, match="a view not computed yet, whose clone must be saved"):
        read_stored(tmp_path / "x.pt")


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (X.to_sparse(), "it needs torch._utils._rebuild_sparse_tensor"),
        (torch.nn.Linear(2, 2), "which is no plain tensor"),
        (np.zeros(3), "which is no plain tensor"),
    ],
)
def test_more_than_tensors_is_refused_in_both_formats(value: Any, told: str, tmp_path: Path) -> None:
    torch.save(value, tmp_path / "x.pt")
    with pytest.raises(ValueError, match=told):
        read_stored(tmp_path / "x.pt")
    torch.save([value, Evil(tmp_path)], tmp_path / "x.pt", _use_new_zipfile_serialization=False)
    with pytest.raises(ValueError, match="which is no plain tensor"):
        check_old_file(tmp_path / "x.pt")
    assert not (tmp_path / EXECUTED).exists()


def test_old_files_of_tensors_pass(tmp_path: Path) -> None:
    state = {"a": torch.nn.Parameter(X), "b": torch.zeros(1 << 20)}
    torch.save(state, tmp_path / "x.pt", _use_new_zipfile_serialization=False)
    check_old_file(tmp_path / "x.pt")
    with pytest.raises(ValueError, match=r"no archive as torch has written them since 1\.6"):
        read_stored(tmp_path / "x.pt")
    (tmp_path / "x.pt").write_bytes(zip_bytes([("a", 0, b"", 0)]))
    with pytest.raises(ValueError, match="it is no file of torch"):
        check_old_file(tmp_path / "x.pt")


@pytest.mark.parametrize("order", [b"middle", b"little" * 1000, b""])
def test_a_byte_order_there_is_not_is_refused(order: bytes, tmp_path: Path) -> None:
    torch.save(X, tmp_path / "x.pt")
    with zipfile.ZipFile(tmp_path / "x.pt") as whole, zipfile.ZipFile(tmp_path / "odd.pt", "w") as odd:
        for name in whole.namelist():
            odd.writestr(name, order if name.endswith("/byteorder") else whole.read(name))
    with pytest.raises(ValueError, match="its byte order is none there is"):
        read_stored(tmp_path / "odd.pt")


@pytest.mark.parametrize("size", [(1 << 63, 0), (0,) * 65], ids=["too long an axis", "too many axes"])
def test_a_shape_that_no_tensor_has_is_refused(size: tuple[int, ...]) -> None:
    storage = _Storage("float32", 4, "x/data/0", 16)
    stride = (1,) * len(size)
    with pytest.raises(ValueError, match="a tensor has no shape there is"):
        _tensor(Call("torch._utils._rebuild_tensor_v2", (storage, 0, size, stride, False, {})))


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_every_protocol_that_torch_can_write_is_read(protocol: int, tmp_path: Path) -> None:
    torch.save({"a": X[1:], "b": torch.nn.Parameter(X)}, tmp_path / "x.pt", pickle_protocol=protocol)
    found = read_stored(tmp_path / "x.pt")
    assert np.array_equal(read_array(tmp_path / "x.pt", found["a"]), X[1:].numpy())
    assert found["b"].shape == (4, 3, 2)


def test_few_numbers_repeated_beyond_bearing_are_refused(tmp_path: Path) -> None:
    for rows, fits in ((1 << 20, True), ((1 << 20) + 1, False)):
        torch.save(torch.zeros(1, 1).expand(rows, 1), tmp_path / "x.pt")
        if fits:
            assert read_stored(tmp_path / "x.pt").shape == (rows, 1)
            continue
        with pytest.raises(
            ValueError, match=r"repeats few numbers many times, and contiguous\(\) must be saved"
        ):
            read_stored(tmp_path / "x.pt")
