"""Tensors in a file that holds numbers and nothing else: no pickle, nothing that runs.

Layout: the length of a header as 8 bytes, little-endian; the header, a JSON object {name: {dtype, shape,
data_offsets}} with texts under ``__metadata__``; the numbers, little-endian, one tensor after the other.

Reference: https://github.com/huggingface/safetensors#format.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "read_tensors", "tensor_bytes"]

Array = NDArray[Any]

KINDS = {
    "BOOL": "bool",
    "U8": "uint8",
    "I8": "int8",
    "I16": "int16",
    "I32": "int32",
    "I64": "int64",
    "F16": "float16",
    "F32": "float32",
    "F64": "float64",
}
NAMES = {kind: name for name, kind in KINDS.items()}

LARGEST_HEADER = 100_000_000
METADATA = "__metadata__"


def tensor_bytes(tensors: Mapping[str, Array], metadata: Mapping[str, str]) -> bytes:
    """A file of tensors by name and some texts; equal content gives equal bytes.

    Wide numbers come first, so that each lies where a processor may read it in place.
    """
    header: dict[str, Any] = {METADATA: dict(sorted(metadata.items()))} if metadata else {}
    parts, end = [], 0
    for name, tensor in sorted(tensors.items(), key=lambda one: (-one[1].dtype.itemsize, one[0])):
        if tensor.dtype.name not in NAMES:
            raise ValueError(f"tensor '{name}' must be one of {', '.join(NAMES)}, got {tensor.dtype.name}")
        raw = np.ascontiguousarray(tensor).astype(tensor.dtype.newbyteorder("<"), copy=False).tobytes()
        start, end = end, end + len(raw)
        header[name] = {
            "dtype": NAMES[tensor.dtype.name],
            "shape": list(tensor.shape),
            "data_offsets": [start, end],
        }
        parts.append(raw)
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return b"".join((struct.pack("<Q", len(text)), text, *parts))


def read_tensors(data: bytes) -> tuple[dict[str, Array], dict[str, str]]:
    """Tensors by name, as views of ``data``, and its texts; ValueError if it is no such file or a damaged one."""
    header, body = _header(data)
    metadata = header.pop(METADATA, {})
    if not isinstance(metadata, dict) or not all(isinstance(text, str) for text in metadata.values()):
        raise ValueError("its metadata must be texts by name")
    found, end = {}, 0
    for name, told in sorted(header.items(), key=lambda one: _offsets(one[1])):
        kind, shape, (start, stop) = _kind(told), _shape(told), _offsets(told)
        if start != end or stop > len(body) or stop - start != math.prod(shape) * kind.itemsize:
            raise ValueError(f"tensor '{name}' does not lie where it says")
        found[name] = np.frombuffer(body[start:stop], kind).reshape(shape)
        end = stop
    if end != len(body):
        raise ValueError(f"it has {len(body) - end} bytes more than its tensors")
    return found, metadata


def _header(data: bytes) -> tuple[dict[str, Any], memoryview]:
    if len(data) < 8:
        raise ValueError(f"it must begin with 8 bytes of length, got {len(data)}")
    (length,) = struct.unpack("<Q", data[:8])
    if length > min(LARGEST_HEADER, len(data) - 8):
        raise ValueError(f"its header is said to have {length} bytes, more than there are")
    try:
        header = json.loads(data[8 : 8 + length])
    except (ValueError, RecursionError):
        raise ValueError("its header is no JSON") from None
    if not isinstance(header, dict):
        raise ValueError("its header must be tensors by name")
    return header, memoryview(data)[8 + length :]


def _kind(told: Any) -> np.dtype[Any]:
    kind = told.get("dtype") if isinstance(told, dict) else None
    if kind not in KINDS:
        raise ValueError(f"its tensors must be of {', '.join(KINDS)}, got {kind!r}")
    return np.dtype(KINDS[kind]).newbyteorder("<")


def _shape(told: Any) -> tuple[int, ...]:
    return _naturals(told.get("shape"))


def _offsets(told: Any) -> tuple[int, ...]:
    found = _naturals(told.get("data_offsets") if isinstance(told, dict) else None)
    if len(found) != 2:
        raise ValueError("a tensor must say where it begins and ends")
    return found


def _naturals(value: Any) -> tuple[int, ...]:
    if not isinstance(value, list) or any(type(n) is not int or n < 0 for n in value):
        raise ValueError("shapes and places must be whole numbers from 0 on")
    return tuple(value)
