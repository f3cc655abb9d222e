"""Whole pictures of a size that we draw are shown; whatever else a file may hold is not."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from explorer.html import is_picture, picture_tag
from explorer.html.picture import picture_size
from explorer.launch.picture import sample_picture


def ours(readings: int) -> bytes:
    points = np.random.default_rng(0).normal(size=(50, 2))
    found = sample_picture(points, {f"K = {i}": points for i in range(readings)})
    assert found is not None
    return found


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def bomb(side: int) -> bytes:
    """A small file of side² pixels."""
    packer = zlib.compressobj(9)
    row = bytes(1 + side // 8)
    data = b"".join(packer.compress(row) for _ in range(side)) + packer.flush()
    head = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def jpeg() -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8)).save(buffer, format="JPEG")
    return buffer.getvalue()


@pytest.mark.parametrize("readings", [1, 20])
def test_ours_are_pictures(readings: int) -> None:
    content = ours(readings)
    assert is_picture(content)
    with Image.open(io.BytesIO(content)) as image:
        assert picture_size(content) == image.size


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"rubbish",
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
        ours(1)[:20],
        ours(1)[:60],
        ours(1)[: len(ours(1)) // 2],
        ours(1)[:100] + b"x" + ours(1)[101:],
        bomb(10_000),
        jpeg(),
    ],
    ids=["empty", "rubbish", "svg", "head", "cut early", "cut", "changed", "bomb", "jpeg"],
)
def test_others_are_none(content: bytes) -> None:
    assert not is_picture(content)


def test_a_picture_travels_inside_its_page() -> None:
    written = str(picture_tag(b"abc", 'a "quoted" <name>'))
    assert written.startswith('<img src="data:image/png;base64,YWJj" alt="a &#34;quoted&#34; &lt;name&gt;"')
    assert "</img>" not in written
