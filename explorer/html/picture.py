"""Pictures that others may have written."""

from __future__ import annotations

import base64
import io
import struct

from PIL import Image

from explorer.html.markup import Markup, tag

__all__ = ["is_picture", "picture_size", "picture_source", "picture_tag"]

MOST_PIXELS = 2**25
"""Ours have less than 2^17 a reading."""
SIGNATURE = b"\x89PNG\r\n\x1a\n"


def is_picture(content: bytes) -> bool:
    """Whether it is a whole PNG of a size that we draw; its size is known from its head, before it is unpacked."""
    if not content.startswith(SIGNATURE) or len(content) < 24:
        return False
    width, height = picture_size(content)
    if width * height > MOST_PIXELS:
        return False
    try:
        with Image.open(io.BytesIO(content), formats=["PNG"]) as image:
            image.load()
    except (OSError, SyntaxError, ValueError):  # Pillow says of a damaged PNG that its syntax is wrong
        return False
    return True


def picture_size(content: bytes) -> tuple[int, int]:
    """Width and height of a PNG in pixels, by its head."""
    width, height = struct.unpack(">II", content[16:24])
    return width, height


def picture_source(content: bytes) -> str:
    """A PNG as an address that holds all of it."""
    return f"data:image/png;base64,{base64.b64encode(content).decode()}"


def picture_tag(content: bytes, words: str) -> Markup:
    """A PNG inside the page itself, with ``words`` for those who cannot see it."""
    return tag("img", src=picture_source(content), alt=words, loading="lazy")
