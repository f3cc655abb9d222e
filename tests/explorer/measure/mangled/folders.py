"""Spoiled folders of images."""

from __future__ import annotations

import io
import os
import random
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image

__all__ = ["FOLDERS", "image_bytes", "png_bytes"]

SUFFIXES = {"PNG": "png", "JPEG": "jpg", "BMP": "bmp", "WEBP": "webp", "TIFF": "tif", "PPM": "ppm"}


def image_bytes(rng: random.Random, form: str, mode: str = "L", size: tuple[int, int] = (6, 5)) -> bytes:
    """A random image in a format."""
    channels = () if mode == "L" else (3,)
    pixels = np.random.default_rng(rng.randrange(1000)).integers(
        0, 255, size=(*size[::-1], *channels), dtype=np.uint8
    )
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, form)
    return buffer.getvalue()


def png_bytes(width: int, height: int, data: bytes, extra: bytes = b"") -> bytes:
    """A grey PNG with sizes and packed data of our own."""
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + extra + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _folder(rng: random.Random, place: Path, good: int = 8) -> Path:
    """A folder with some good images, to which a bad one is added."""
    folder = place / "bad"
    folder.mkdir()
    for i in range(rng.choice([0, good, 5 * good])):
        (folder / f"{i}.png").write_bytes(image_bytes(rng, "PNG"))
    return folder


def _one(make: Callable[[random.Random], bytes]) -> Callable[[random.Random, Path], Path]:
    """A folder with one file of these bytes, under the name of some format."""

    def spoil(rng: random.Random, place: Path) -> Path:
        folder = _folder(rng, place)
        name = f"{rng.choice('07z')}x.{rng.choice([*SUFFIXES.values(), 'jpeg', 'tiff', 'pgm', 'PNG'])}"
        (folder / name).write_bytes(make(rng))
        return folder

    return spoil


def _link(rng: random.Random, place: Path) -> Path:
    """Links to what is no file, and pipes, which would be waited for for ever."""
    folder = _folder(rng, place)
    target = folder / "x.png"
    match rng.randrange(6):
        case 0:
            target.symlink_to(
                rng.choice(["/dev/zero", "/dev/null", "/dev/stdin", "/dev/random", "/proc/self/mem"])
            )
        case 1:
            target.symlink_to("x.png")
        case 2:
            target.symlink_to("nowhere")
        case 3:
            os.mkfifo(target)
        case 4:
            target.mkdir()
        case _:
            target.symlink_to("..")
    return folder


def _nothing(rng: random.Random, place: Path) -> Path:
    folder = place / "bad"
    folder.mkdir()
    for i in range(rng.choice([0, 3, 2000])):
        (folder / f"{i}.txt").touch()
    return folder


def _empty(rng: random.Random, place: Path) -> Path:
    folder = _folder(rng, place)
    for i in range(rng.choice([1, 3000])):
        (folder / f"x{i}.png").touch()
    return folder


def _names(rng: random.Random, place: Path) -> Path:
    folder = _folder(rng, place)
    names = [
        b"\xff\xfe.png",
        b"\x1b[31mred\x1b[0m.png",
        b"a\nb\nc.png",
        b"[red].png",
        b"x" * 250 + b".png",
        b"\xe2\x80\xae.png",
    ]
    content = rng.choice([b"", b"no image", image_bytes(rng, "PNG")[:40], image_bytes(rng, "PNG")])
    Path(os.fsdecode(os.fsencode(folder) + b"/" + rng.choice(names))).write_bytes(content)
    return folder


def _cut(rng: random.Random) -> bytes:
    content = image_bytes(rng, rng.choice(list(SUFFIXES)), rng.choice(["L", "RGB"]), (64, 48))
    return content[: rng.randrange(1, len(content) - 2)]


def _flipped(rng: random.Random) -> bytes:
    content = bytearray(image_bytes(rng, rng.choice(list(SUFFIXES)), rng.choice(["L", "RGB"]), (16, 12)))
    for _ in range(rng.randrange(1, 12)):
        content[rng.randrange(min(len(content), 400))] = rng.randrange(256)
    return bytes(content)


def _bomb(rng: random.Random) -> bytes:
    """Few bytes that ask for many pixels, or for much text."""
    side = rng.choice([7000, 9000, 12_000, 20_000, 60_000, 2**31 - 1])
    text = zlib.compress(bytes(50 << 20), 1) if rng.random() < 0.2 else b""
    return rng.choice(
        [
            lambda: png_bytes(side, side, zlib.compress(bytes(1 << 20))),
            lambda: png_bytes(6, 5, zlib.compress(bytes(50 << 20), 1)),
            lambda: png_bytes(6, 5, zlib.compress(bytes(35)), _chunk(b"zTXt", b"a\0\0" + text)),
            lambda: b"P5\n%d %d\n255\n" % (side, side),
            lambda: b"P3\n%d %d\n255\n1 2 3" % (min(side, 8000), min(side, 8000)),
            lambda: (
                b"BM"
                + struct.pack("<IIIIiiHHIIiiII", 99, 0, 54, 40, side, side, 1, 8, 1, 0, 0, 0, 0, 0)
                + bytes(99)
            ),
            lambda: (
                b"RIFF"
                + struct.pack("<I", 30)
                + b"WEBPVP8X"
                + struct.pack("<II", 10, 0)
                + b"\xff\x3f\0\xff\x3f\0"
            ),
        ]
    )()


def _deep(rng: random.Random) -> bytes:
    """More than 8 bits, or no whole numbers."""
    buffer = io.BytesIO()
    kind, form = rng.choice(
        [(np.uint16, "PNG"), (np.uint16, "TIFF"), (np.int32, "TIFF"), (np.float32, "TIFF")]
    )
    Image.fromarray(np.ones((5, 6), dtype=kind)).save(buffer, form)
    return buffer.getvalue()


def _frames(rng: random.Random) -> bytes:
    buffer = io.BytesIO()
    images = [Image.new("RGB", (6, 5), (i, 0, 0)) for i in range(rng.choice([2, 30]))]
    images[0].save(
        buffer, rng.choice(["GIF", "PNG", "WEBP", "TIFF"]), save_all=True, append_images=images[1:]
    )
    return buffer.getvalue()


def _foreign(rng: random.Random) -> bytes:
    """Formats that Pillow knows and we do not ask it for."""
    script = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 6 5\n(executed) (w) file closefile\nshowpage\n"
    return rng.choice(
        [
            script,
            b"%PDF-1.4\n",
            b"<svg/>",
            b"GIF89a",
            b"\0\0\1\0\1\0",
            b"8BPS\0\1",
            b"no image",
            rng.randbytes(99),
        ]
    )


def _mixed(rng: random.Random, place: Path) -> Path:
    """Several sizes and modes in one folder, which pixels cannot be compared by."""
    folder = _folder(rng, place)
    for i, mode in enumerate(["1", "L", "P", "RGB", "RGBA", "CMYK", "LA", "YCbCr"]):
        size = (6 + rng.randrange(2), 5)
        Image.new(mode, size).save(folder / f"m{i}.{'tif' if mode in ('CMYK', 'YCbCr') else 'png'}")
    return folder


FOLDERS: dict[str, Callable[[random.Random, Path], Path]] = {
    "no images": _nothing,
    "empty files": _empty,
    "links and pipes": _link,
    "odd names": _names,
    "cut short": _one(_cut),
    "flipped bytes": _one(_flipped),
    "more flipped bytes": _one(_flipped),
    "bombs": _one(_bomb),
    "more bombs": _one(_bomb),
    "too deep": _one(_deep),
    "several frames": _one(_frames),
    "other formats": _one(_foreign),
    "several sizes": _mixed,
}
