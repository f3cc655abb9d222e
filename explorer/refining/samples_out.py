"""Refined samples on disk: one ``.npz`` file, or a folder of images, written while they are drawn."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Any
from zipfile import ZipFile

from explorer.errors import UserError, shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from trainables.samplers.pool import Drawable
    from trainables.samplers.refining import Piece, Refining

__all__ = ["check_name", "check_out", "is_file", "write_samples"]

LEDGER = "ledger.json"
Hearer = Callable[[int, int], None]
"""Samples so far, and in all."""


def is_file(out: Path) -> bool:
    """Whether samples go into one file; else into a folder of images."""
    return out.suffix == ".npz"


def check_name(out: Path) -> None:
    """Refuse a place that takes no samples of any kind."""
    name = shown(str(out), 120)
    if is_file(out):
        if out.is_dir():
            raise UserError(f"samples are written to a file {name}, and there is a folder of that name")
    elif out.suffix and not out.is_dir():
        raise UserError(f"samples are written to a .npz file or to a folder, got {name}; end it in .npz")
    elif out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(f"samples are written to a new or an empty folder, and {name} holds something")
    if not out.resolve().parent.is_dir():
        raise UserError(f"samples cannot be written to {name}: there is no folder {out.parent}")


def check_out(out: Path, shape: tuple[int, ...]) -> None:
    """Refuse a place that cannot take samples of a shape, before they are drawn."""
    check_name(out)
    if not is_file(out) and (len(shape) != 3 or shape[0] not in (1, 3)):
        raise UserError(
            f"a folder takes grey or coloured images, and samples have the shape {shape}; write them to a .npz file"
        )


def write_samples(
    model: Drawable,
    stream: Refining,
    count: int,
    out: Path,
    told: dict[str, Any],
    hear: Hearer = lambda done, count: None,
) -> dict[str, Any]:
    """Draw ``count`` samples into a place, with what they cost beside them; what is written there in words. O(block).

    ``told`` goes along: how they were made. A file is complete or not there, and so is a folder.
    """
    pieces = _heard(stream, count, hear)
    return (
        _write_file(model, stream, pieces, out, told)
        if is_file(out)
        else _write_images(model, stream, pieces, out, told)
    )


def _heard(stream: Refining, count: int, hear: Hearer) -> Iterator[Piece]:
    done = 0
    for piece in stream.pieces(count):
        done += len(piece.points)
        hear(done, count)
        yield piece
    if not done:
        draws = stream.ledger.draws
        what = (
            f"none of {draws:,} draws were kept"
            if draws
            else "the draws came to an end before one sample was over"
        )
        raise ValueError(f"{what}, so that there is nothing to write; ask for a smaller budget")


def _write_file(
    model: Drawable, stream: Refining, pieces: Iterator[Piece], out: Path, told: dict[str, Any]
) -> dict[str, Any]:
    import numpy as np

    with TemporaryDirectory(prefix=".tradeoff-", dir=out.resolve().parent) as scratch, ExitStack() as opened:
        arrays: dict[str, _Array] = {}

        def add(name: str, rows: NDArray[Any]) -> None:
            if name not in arrays:
                arrays[name] = _Array(opened.enter_context(Path(scratch, name).open("w+b")))
            arrays[name].add(rows)

        for piece in pieces:
            add("samples", model.shown(piece.points))
            if piece.classes is not None:
                add("classes", piece.classes.cpu().numpy())
        whole = {**told, "ledger": stream.ledger.plain()}
        part = Path(scratch, "whole.npz")
        with ZipFile(part, "w") as archive:
            for name, array in arrays.items():
                array.into(archive, name)
            with archive.open("made.npy", "w") as file:
                np.lib.format.write_array(file, np.array(json.dumps(whole)), allow_pickle=False)
        part.replace(out)
    return whole


class _Array:
    """Rows of one array on disk, of which the number is known at the end."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._rows = 0
        self._shape: tuple[int, ...] = ()
        self._dtype: Any = None

    def add(self, rows: NDArray[Any]) -> None:
        self._shape, self._dtype = rows.shape[1:], rows.dtype
        self._rows += len(rows)
        self._file.write(rows.tobytes())

    def into(self, archive: ZipFile, name: str) -> None:
        import numpy as np

        header = {
            "descr": np.lib.format.dtype_to_descr(self._dtype),
            "fortran_order": False,
            "shape": (self._rows, *self._shape),
        }
        with archive.open(f"{name}.npy", "w", force_zip64=True) as target:
            np.lib.format.write_array_header_1_0(target, header)
            self._file.seek(0)
            shutil.copyfileobj(self._file, target)


def _write_images(
    model: Drawable, stream: Refining, pieces: Iterator[Piece], out: Path, told: dict[str, Any]
) -> dict[str, Any]:
    """PNG files ``00000.png`` …, in a folder of its class each where samples have one.

    They are written beside, and come to their place once all are there: the ledger last, in a folder that was there.
    """
    target = out.resolve()
    there = target.is_dir()
    with TemporaryDirectory(prefix=".tradeoff-", dir=target if there else target.parent) as scratch:
        whole = Path(scratch, "whole")
        whole.mkdir()
        made = {**told, "ledger": _draw_images(model, stream, pieces, whole)}
        ledger = whole / LEDGER
        ledger.write_text(json.dumps(made, indent=2) + "\n", encoding="utf-8")
        if there:
            for made_one in sorted(whole.iterdir(), key=lambda place: place == ledger):
                made_one.replace(target / made_one.name)
        else:
            whole.replace(target)
    return made


def _draw_images(model: Drawable, stream: Refining, pieces: Iterator[Piece], place: Path) -> dict[str, Any]:
    """Images of a stream in a folder; what they cost."""
    done = 0
    for piece in pieces:
        images: NDArray[np.uint8] = model.shown(piece.points)
        classes = None if piece.classes is None else piece.classes.tolist()
        for row, image in enumerate(images):
            folder = place if classes is None else place / str(classes[row])
            folder.mkdir(exist_ok=True)
            _save(image, folder / f"{done:05d}.png")
            done += 1
    return stream.ledger.plain()


def _save(image: NDArray[np.uint8], file: Path) -> None:
    from PIL import Image

    Image.fromarray(image[0] if len(image) == 1 else image.transpose(1, 2, 0)).save(file)
