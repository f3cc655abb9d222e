"""Tensors of torch, .pt and .pth: what they hold is read without torch, and without running what they name.

Such a file is a zip archive: ``data.pkl`` is a pickle that says which part of which storage a tensor is, and each
storage is a member of the archive, not packed.
"""

from __future__ import annotations

import warnings
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from explorer.measure.files import file_size, refusing
from explorer.measure.outline import FLOATS, INTEGERS, Header, Outline, outline_array
from explorer.measure.pickles import Call, Name, read_pickle

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["outline_torch", "read_torch"]

SHOULD = "tensors without pickled objects, as torch.save writes them"

LARGEST_PICKLE = 1 << 20
SIZES = FLOATS | INTEGERS | {"complex64": 8, "complex128": 16}
DTYPES = {
    "torch.HalfStorage": "float16",
    "torch.BFloat16Storage": "bfloat16",
    "torch.FloatStorage": "float32",
    "torch.DoubleStorage": "float64",
    "torch.ComplexFloatStorage": "complex64",
    "torch.ComplexDoubleStorage": "complex128",
    "torch.BoolStorage": "bool",
    "torch.ByteStorage": "uint8",
    "torch.CharStorage": "int8",
    "torch.ShortStorage": "int16",
    "torch.IntStorage": "int32",
    "torch.LongStorage": "int64",
}


CALLS = {"torch._utils._rebuild_tensor_v2", "torch._utils._rebuild_parameter", "collections.OrderedDict"}


class _Storage(NamedTuple):
    dtype: str
    numbers: int


def outline_torch(path: Path) -> Outline:
    """A tensor, or a dictionary of them."""
    size = file_size(path)
    with refusing(path, SHOULD):
        if not zipfile.is_zipfile(path):
            raise ValueError("it is no archive as torch has written them since 1.6")
        with zipfile.ZipFile(path) as archive:
            stored = _stored(archive, size)
        arrays = stored if isinstance(stored, dict) else {"features": stored}
        headers = {str(name): _header(*value) for name, value in arrays.items() if isinstance(value, Call)}
    if "labels" in arrays and "labels" not in headers:
        headers["labels"] = Header((), type(arrays["labels"]).__name__)
    return outline_array(path, headers, headers.__getitem__)


def read_torch(path: Path) -> dict[str, Tensor]:
    """The tensors by name; a file that needs more than tensors is refused, never unpickled."""
    import torch

    with refusing(path, SHOULD), warnings.catch_warnings(action="ignore"):
        try:
            stored: Any = torch.load(path, map_location="cpu", weights_only=True)
        except Exception as error:  # what torch says of it is how to run it all the same
            raise ValueError("torch finds it damaged") from error
    arrays = stored if isinstance(stored, dict) else {"features": stored}
    return {str(name): value.detach() for name, value in arrays.items() if isinstance(value, torch.Tensor)}


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

    def storage(place: Any) -> _Storage:
        _, kind, key, _, numbers = place
        if not isinstance(kind, Name) or not isinstance(key, str):
            raise ValueError("its pickle is damaged")
        dtype, member = DTYPES[kind.words], members.get(f"{folder}data/{key}")
        if member is None or type(numbers) is not int or member.file_size != numbers * SIZES[dtype]:
            raise ValueError("a storage is not as long as it says")
        return _Storage(dtype, numbers)

    return read_pickle(archive.read(f"{folder}data.pkl"), CALLS | DTYPES.keys(), storage)


def _header(name: str, arguments: tuple[Any, ...]) -> Header:
    """What torch would build: element i lies at offset + Σ_a i_a·stride_a of its storage, all inside of it."""
    if name == "torch._utils._rebuild_parameter" and arguments and isinstance(arguments[0], Call):
        name, arguments = arguments[0]
    if name != "torch._utils._rebuild_tensor_v2":
        raise ValueError(f"it has {name} where a tensor should be")
    storage, offset, size, stride, *_ = arguments
    whole = (offset, *size, *stride)
    if not isinstance(storage, _Storage) or any(type(n) is not int or n < 0 for n in whole):
        raise ValueError("a tensor has no shape there is")
    last = offset + sum((n - 1) * step for n, step in zip(size, stride, strict=True))
    if 0 not in size and last >= storage.numbers:
        raise ValueError("a tensor reaches beyond its storage")
    return Header(tuple(size), storage.dtype)
