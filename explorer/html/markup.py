"""HTML built from tags, in which text is escaped by construction."""

from __future__ import annotations

import html

__all__ = ["Markup", "tag", "text"]


class Markup(str):
    """A string that is HTML already. Only ``tag`` and ``text`` make it; anything else is text and gets escaped."""

    __slots__ = ()


def text(value: object) -> Markup:
    """Any value as text: ``<``, ``>``, ``&`` and quotes escaped; Markup stays as it is."""
    return value if isinstance(value, Markup) else Markup(html.escape(str(value)))


def tag(name: str, *children: object, **attributes: str) -> Markup:
    """``<name attribute="…">children</name>``; a trailing underscore in an attribute's name is dropped."""
    pairs = "".join(f' {key.rstrip("_")}="{html.escape(value)}"' for key, value in attributes.items())
    return Markup(f"<{name}{pairs}>{''.join(text(child) for child in children)}</{name}>")
