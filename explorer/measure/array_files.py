"""Arrays of numpy, .npy and .npz: their headers first, then the arrays that are wanted. Nothing is unpickled."""

from __future__ import annotations

import io
import math
import warnings
import zipfile
from collections import Counter
from pathlib import Path
from typing import IO, TYPE_CHECKING

from explorer.measure.files import file_size, refusing
from explorer.measure.outline import Header, Outline, outline_array
from trainables.archives import open_archive

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["outline_npy", "outline_npz", "read_npy", "read_npz"]

SHOULD = "numeric arrays without pickled objects"

HEAD = 1 << 14  # bytes in which a header ends; numpy would read as many as a file claims
LARGE, DENSE = 1 << 26, 200  # a member of more bytes than this, packed more times than this, is a bomb


def outline_npy(path: Path) -> Outline:
    """One array, which has no name."""
    size = file_size(path)
    with refusing(path, SHOULD), path.open("rb") as file:
        found = _header(file, size)
    return outline_array(path, [""], lambda name: found)


def outline_npz(path: Path) -> Outline:
    """Arrays by name; members that are no arrays are passed over."""
    file_size(path)
    with refusing(path, SHOULD), open_archive(path) as archive:
        names = Counter(name.removesuffix(".npy") for name in archive.namelist() if name.endswith(".npy"))
        for name, times in names.most_common(1):
            if times > 1:
                raise ValueError(f"'{name}' is in it twice")
        return outline_array(path, names, lambda name: _member_header(archive, f"{name}.npy"))


def read_npy(path: Path, name: str = "") -> NDArray[np.generic]:
    """The array, which has no name, in the byte order of this machine."""
    import numpy as np

    with refusing(path, SHOULD):
        return _native(np.load(path, allow_pickle=False))


def read_npz(path: Path, name: str) -> NDArray[np.generic]:
    """One array by its name, in the byte order of this machine: the very member whose header was read before."""
    from numpy.lib import format as npy

    with refusing(path, SHOULD), open_archive(path) as archive, archive.open(f"{name}.npy") as file:
        return _native(npy.read_array(file, allow_pickle=False))


def _member_header(archive: zipfile.ZipFile, name: str) -> Header:
    member = archive.getinfo(name)
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{name} is packed in a way numpy never does")
    if member.file_size > max(LARGE, DENSE * member.compress_size):
        raise ValueError(
            f"{name} grows from {member.compress_size} to {member.file_size} bytes when unpacked"
        )
    with archive.open(member) as file:
        return _header(file, member.file_size)


def _header(file: IO[bytes], size: int) -> Header:
    """What the header says, if the ``size`` bytes of the file can hold that much."""
    from numpy.lib import format as npy

    head = io.BytesIO(file.read(HEAD))
    version = npy.read_magic(head)
    readers = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    if version not in readers:
        raise ValueError(f"format {version[0]}.{version[1]} is not one of arrays of numbers")
    with warnings.catch_warnings(action="ignore"):  # of headers that Python 2 wrote, or that are none
        shape, _, dtype = readers[version](head)
    needed, there = math.prod(shape) * dtype.itemsize, size - head.tell()
    if any(n < 0 for n in shape):
        raise ValueError("its shape is negative")
    if dtype.hasobject:
        raise ValueError("it has pickled objects")
    if needed > there:
        raise ValueError("it ends before its array does")
    return Header(shape, dtype.name)


def _native(array: NDArray[np.generic]) -> NDArray[np.generic]:
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
