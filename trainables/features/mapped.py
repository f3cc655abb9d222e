"""Arrays in one .npz file, packed so that they can be mapped: all processes of a machine share one copy in memory."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

__all__ = ["map_arrays", "write_arrays"]

_ALIGNED = 64
"""Bytes at whose multiples arrays begin, as NumPy's own headers have it."""
_HEADER = struct.Struct("<26xHH")
"""What comes before a member of an archive: its last two fields are the lengths of the name and of the extra field."""
_PADDING = 0xD935
"""The kind of an extra field that is there to fill up, as other tools that align archives write it."""


def write_arrays(file: IO[bytes], arrays: Mapping[str, np.ndarray]) -> None:
    """An archive that ``numpy.load`` reads, too; arrays of objects, which would be pickled, are refused."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            packed = io.BytesIO()
            np.lib.format.write_array(packed, np.asanyarray(array), allow_pickle=False)
            member = zipfile.ZipInfo(f"{name}.npy")
            begins = file.tell() + _HEADER.size + len(member.filename.encode())
            fill = -(begins + 4) % _ALIGNED
            member.extra = struct.pack("<HH", _PADDING, fill) + bytes(fill)
            archive.writestr(member, packed.getbuffer())


def map_arrays(path: Path) -> dict[str, np.ndarray]:
    """The arrays of such a file as parts of it: read when they are looked at, and kept once however many look.

    What is written into one is its own process's, never the file's. Raises whatever a damaged file makes it.
    """
    with zipfile.ZipFile(path) as archive, path.open("rb") as file:
        members = archive.infolist()
        if any(member.compress_type != zipfile.ZIP_STORED for member in members):
            raise ValueError(f"{path} is packed, so that it cannot be mapped")
        return {member.filename.removesuffix(".npy"): _mapped(file, member) for member in members}


def _mapped(file: IO[bytes], member: zipfile.ZipInfo) -> np.ndarray:
    file.seek(member.header_offset)
    name, extra = _HEADER.unpack(file.read(_HEADER.size))
    begins = member.header_offset + _HEADER.size + name + extra
    file.seek(begins)
    shape, fortran, dtype = _described(file)
    header = file.tell() - begins
    if dtype.hasobject:
        raise ValueError("arrays of objects are not read")
    if header + dtype.itemsize * int(np.prod(shape, dtype=object)) != member.file_size:
        raise ValueError("an array is not as large as its header says")
    if 0 in shape:
        return np.zeros(shape, dtype)  # of which there is nothing to map
    order: Any = "F" if fortran else "C"
    array = np.memmap(file, dtype, "c", begins + header, shape, order)
    return array if array.flags.aligned else np.array(array)  # of a file that was packed by others


def _described(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    version = np.lib.format.read_magic(file)
    readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    return readers[version](file)
