"""Tensors of torch, .pt and .pth: what they hold is read without torch, and without running what they name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.errors import UserError, brief
from explorer.measure.files import file_size, named, refusing
from explorer.measure.outline import Header, Outline, outline_array
from explorer.memory import available
from trainables.tensor_files import StoredTensor, read_array, read_stored

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["outline_torch", "read_torch"]

SHOULD = "tensors without pickled objects, as torch.save writes them"


def outline_torch(path: Path) -> Outline:
    """A tensor, or a dictionary of them."""
    values = _values(path)
    headers = {
        name: Header(value.shape, value.dtype)
        for name, value in values.items()
        if isinstance(value, StoredTensor)
    }
    if "labels" in values and "labels" not in headers:
        headers["labels"] = Header((), type(values["labels"]).__name__)
    return outline_array(path, headers, headers.__getitem__)


def read_torch(path: Path, name: str) -> NDArray[np.generic]:
    """One tensor by its name; the storage that it may be a small part of has to fit into memory."""
    tensor = _values(path)[name]
    if tensor.bytes > available():
        raise UserError(
            f"{named(path)} must fit into memory, but '{brief(name)}' is a part of {tensor.bytes} bytes; save its clone"
        )
    with refusing(path, SHOULD):
        return read_array(path, tensor)


def _values(path: Path) -> dict[str, Any]:
    file_size(path)
    with refusing(path, SHOULD):
        stored = read_stored(path)
    arrays = stored if isinstance(stored, dict) else {"features": stored}
    return {str(name): value for name, value in arrays.items()}
