"""Tensors in a file: there and back, aligned, and refused where they are damaged."""

from __future__ import annotations

import json
import struct
import subprocess
import venv
from pathlib import Path

import numpy as np
import pytest

from trainables.safetensors import read_tensors, tensor_bytes

TENSORS = {
    "a.weight": np.arange(6, dtype=np.float32).reshape(2, 3).T,
    "flag": np.array([True, False, True]),
    "count": np.array(7, dtype=np.int64),
    "none": np.zeros((0, 4), dtype=np.float16),
    "größe": np.array([1.5, np.inf, -0.0], dtype=np.float64),
}


def test_there_and_back() -> None:
    found, texts = read_tensors(tensor_bytes(TENSORS, {"b": "2", "a": "λ"}))
    assert texts == {"a": "λ", "b": "2"}
    assert set(found) == set(TENSORS)
    for name, tensor in TENSORS.items():
        assert (found[name].dtype, found[name].shape) == (tensor.dtype, tensor.shape)
        assert found[name].tobytes() == np.ascontiguousarray(tensor).tobytes()


def test_equal_content_gives_equal_bytes() -> None:
    again = dict(reversed(list(TENSORS.items())))
    assert tensor_bytes(TENSORS, {"a": "1", "b": "2"}) == tensor_bytes(again, {"b": "2", "a": "1"})


def test_numbers_lie_where_a_processor_reads_them_in_place() -> None:
    data = tensor_bytes(TENSORS, {"a": "1"})
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    assert (8 + length) % 8 == 0
    places = [
        (TENSORS[name].dtype.itemsize, told["data_offsets"][0])
        for name, told in header.items()
        if name in TENSORS
    ]
    assert all(start % size == 0 for size, start in places)


def test_what_has_no_name_there_is_refused() -> None:
    with pytest.raises(ValueError, match="tensor 'z' must be one of bool"):
        tensor_bytes({"z": np.zeros(2, dtype=np.complex64)}, {})


def _file(header: object, body: bytes = b"") -> bytes:
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


ONE = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"12345",
        struct.pack("<Q", 1 << 60),
        struct.pack("<Q", 5) + b"{",
        struct.pack("<Q", 3) + b"{]}",
        struct.pack("<Q", 1000) + b"[" * 1000,
        _file([1]),
        _file({"a": 1}),
        _file({"a": {**ONE, "dtype": "F8"}}, b"1234"),
        _file({"a": {**ONE, "shape": [-1]}}, b"1234"),
        _file({"a": {**ONE, "shape": [2]}}, b"1234"),
        _file({"a": {**ONE, "shape": [True]}}, b"1234"),
        _file({"a": {**ONE, "data_offsets": [0]}}, b"1234"),
        _file({"a": {**ONE, "data_offsets": [0, 4, 8]}}, b"1234"),
        _file({"a": ONE}, b"123"),
        _file({"a": ONE}, b"12345"),
        _file({"a": ONE, "b": ONE}, b"1234"),
        _file({"__metadata__": {"a": 1}}),
        _file({"__metadata__": "text"}),
    ],
)
def test_a_damaged_file_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_tensors(data)


THEIRS = """
import sys
import numpy as np
from pathlib import Path
from safetensors.numpy import load, save
ours = Path(sys.argv[1]).read_bytes()
assert save(load(ours), {"a": "λ"}) == ours
"""


@pytest.mark.slow
def test_the_package_of_the_format_writes_the_same_bytes(tmp_path: Path) -> None:
    venv.create(tmp_path / "fresh", with_pip=True)
    python = str(tmp_path / "fresh" / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "-q", "safetensors", "numpy"], check=True)
    file = tmp_path / "one.safetensors"
    file.write_bytes(tensor_bytes(TENSORS, {"a": "λ"}))
    subprocess.run([python, "-c", THEIRS, str(file)], check=True)
