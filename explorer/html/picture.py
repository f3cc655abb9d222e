"""Pictures that others may have written."""

from __future__ import annotations

import base64
import io
import struct

from PIL import Image

from explorer.html.markup import Markup, tag

__all__ = ["is_picture", "picture_tag"]

MOST_PIXELS = 2**25
"""Ours have less than 2^17 a reading."""
SIGNATURE = b"\x89PNG\r\n\x1a\n"


def is_picture(content: bytes) -> bool:
    """Whether it is a whole PNG of a size that we draw; its size is known from its head, before it is unpacked."""
    if not content.startswith(SIGNATURE) or len(content) < 24:
        return False
    width, height = struct.unpack(">II", content[16:24])
    if width * height > MOST_PIXELS:
        return False
    try:
        with Image.open(io.BytesIO(content), formats=["PNG"]) as image:
            image.load()
    except (OSError, SyntaxError, ValueError):  # Pillow says of a damaged PNG that its syntax is wrong
        return False
    return True


def picture_tag(content: bytes, words: str) -> Markup:
    """A PNG inside the page itself, with ``words`` for those who cannot see it."""
    source = f"data:image/png;base64,{base64.b64encode(content).decode()}"
    return tag("img", src=source, alt=words, loading="lazy")
