"""What ``torch.save`` wrote, read without torch and without running what it names.

Such a file is a zip archive: ``data.pkl`` is a pickle that says which part of which storage a tensor is, and each
storage is a member of the archive, not packed. Before torch 1.6 it was pickles one after the other, then storages.
"""

from __future__ import annotations

import io
import math
import pickletools
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from trainables.archives import open_archive
from trainables.pickles import Call, Name, read_pickle

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["StoredTensor", "check_old_file", "read_array", "read_stored"]

LARGEST_PICKLE = 1 << 20
PIECE = 1 << 24
MOST_AXES = 1 + 2 * 64
"""Offset, sizes and strides of a tensor of as many dimensions as torch knows."""

SIZES = {
    "torch.HalfStorage": ("float16", 2),
    "torch.BFloat16Storage": ("bfloat16", 2),
    "torch.FloatStorage": ("float32", 4),
    "torch.DoubleStorage": ("float64", 8),
    "torch.ComplexFloatStorage": ("complex64", 8),
    "torch.ComplexDoubleStorage": ("complex128", 16),
    "torch.BoolStorage": ("bool", 1),
    "torch.ByteStorage": ("uint8", 1),
    "torch.CharStorage": ("int8", 1),
    "torch.ShortStorage": ("int16", 2),
    "torch.IntStorage": ("int32", 4),
    "torch.LongStorage": ("int64", 8),
}
CALLS = {"torch._utils._rebuild_tensor_v2", "torch._utils._rebuild_parameter", "collections.OrderedDict"}

MOST_REPEATED = 1 << 20
"""Numbers of a tensor that has more of them than are stored: expanded to a shape, it takes memory when it is read."""

OLD = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19."
"""The pickled number with which files of before torch 1.6 begin."""


class StoredTensor(NamedTuple):
    """A tensor that lies in ``member`` of an archive, of so many bytes: element i at offset + Σ_a i_a·stride_a."""

    dtype: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    member: str
    bytes: int


class _Storage(NamedTuple):
    dtype: str
    numbers: int
    member: str
    bytes: int


def read_stored(path: Path) -> Any:
    """What a file holds, tensors and those of a dictionary as ``StoredTensor``; all lie inside what is there.

    An exception, mostly ValueError, if it is damaged or holds more than tensors.
    """
    if not zipfile.is_zipfile(path):
        raise ValueError("it is no archive as torch has written them since 1.6")
    with open_archive(path) as archive:
        stored = _stored(archive, path.stat().st_size)
    if isinstance(stored, dict):
        return {name: _tensor(value) if isinstance(value, Call) else value for name, value in stored.items()}
    return _tensor(stored) if isinstance(stored, Call) else stored


def read_array(path: Path, tensor: StoredTensor) -> NDArray[np.generic]:
    """A tensor of real numbers as numpy has it, which knows no bfloat16: those numbers are float32, exactly."""
    import numpy as np

    narrow = tensor.dtype == "bfloat16"
    with open_archive(path) as archive:
        numbers = _content(archive, tensor.member).view("uint16" if narrow else tensor.dtype)
        if _is_swapped(archive, tensor.member):
            numbers = numbers.byteswap()
    if narrow:
        numbers = (numbers.astype("uint32") << 16).view("float32")
    steps = [step * numbers.itemsize for step in tensor.stride]
    return np.lib.stride_tricks.as_strided(numbers[tensor.offset :], tensor.shape, steps)


def check_old_file(path: Path) -> None:
    """Refuse what torch before 1.6 did not write, and what would need more than torch to be read."""
    with path.open("rb") as file:
        head = io.BytesIO(file.read(LARGEST_PICKLE))
    if not head.getvalue().startswith(OLD):
        raise ValueError("it is no file of torch")
    for _ in ("magic number", "protocol", "system", "value"):
        for opcode, argument, _ in pickletools.genops(head):
            words = str(argument).replace(" ", ".")
            if opcode.name == "GLOBAL" and not words.startswith(("torch", "collections.OrderedDict")):
                raise ValueError(f"it needs {words[:60]}, which is no plain tensor")


def _stored(archive: zipfile.ZipFile, size: int) -> Any:
    """What ``data.pkl`` says, once the members are known to be as large as they say."""
    members = {member.filename: member for member in archive.infolist()}
    folder = next((name[: -len("data.pkl")] for name in members if name.endswith("/data.pkl")), None)
    if folder is None:
        raise ValueError("it has no data.pkl")
    if any(member.compress_type != zipfile.ZIP_STORED for member in members.values()):
        raise ValueError("its members are packed, which torch never does")
    if sum(member.file_size for member in members.values()) > size:
        raise ValueError("its members overlap")
    if members[f"{folder}data.pkl"].file_size > LARGEST_PICKLE:
        raise ValueError(f"its data.pkl is larger than {LARGEST_PICKLE} bytes")
    order = members.get(f"{folder}byteorder")
    if order is not None and (order.file_size > 6 or archive.read(order) not in (b"little", b"big")):
        raise ValueError("its byte order is none there is")

    def storage(place: Any) -> _Storage:
        _, kind, key, _, numbers = place
        if not isinstance(kind, Name) or not isinstance(key, str):
            raise ValueError("its pickle is damaged")
        (dtype, itemsize), member = SIZES[kind.words], members.get(f"{folder}data/{key}")
        if member is None or type(numbers) is not int or member.file_size != numbers * itemsize:
            raise ValueError("a storage is not as long as it says")
        return _Storage(dtype, numbers, member.filename, member.file_size)

    return read_pickle(archive.read(f"{folder}data.pkl"), CALLS | SIZES.keys(), storage)


def _tensor(call: Call) -> StoredTensor:
    """What torch would build, if all of it lies inside its storage."""
    name, arguments = call
    if name == "torch._utils._rebuild_parameter" and arguments and isinstance(arguments[0], Call):
        name, arguments = arguments[0]
    if name != "torch._utils._rebuild_tensor_v2":
        raise ValueError(f"it has {name} where a tensor should be")
    storage, offset, size, stride, _, _, *lazy = arguments
    whole = (offset, *size, *stride)
    odd = len(whole) > MOST_AXES or any(type(n) is not int or not 0 <= n < 1 << 63 for n in whole)
    if not isinstance(storage, _Storage) or odd:
        raise ValueError("a tensor has no shape there is")
    if any(lazy):
        raise ValueError("a tensor is a view not computed yet, whose clone must be saved")
    if math.prod(size) > max(MOST_REPEATED, storage.numbers):
        raise ValueError("a tensor repeats few numbers many times, and contiguous() must be saved")
    last = offset + sum((n - 1) * step for n, step in zip(size, stride, strict=True))
    if 0 not in size and last >= storage.numbers:
        raise ValueError("a tensor reaches beyond its storage")
    return StoredTensor(storage.dtype, tuple(size), tuple(stride), offset, storage.member, storage.bytes)


def _content(archive: zipfile.ZipFile, member: str) -> NDArray[np.uint8]:
    """The bytes of a member, once in memory; damaged ones do not have its sum."""
    import numpy as np

    content = np.empty(archive.getinfo(member).file_size, np.uint8)
    with archive.open(member) as file:
        for start in range(0, len(content), PIECE):
            piece = file.read(PIECE)
            content[start : start + len(piece)] = np.frombuffer(piece, np.uint8)
    return content


def _is_swapped(archive: zipfile.ZipFile, member: str) -> bool:
    """Whether the numbers are in the byte order of another machine; archives that do not say are little-endian."""
    name = f"{member.rpartition('data/')[0]}byteorder"
    order = archive.read(name).decode() if name in archive.namelist() else "little"
    return order != sys.byteorder
