"""HTML built from tags, in which text is escaped by construction."""

from __future__ import annotations

from markupsafe import Markup, escape

__all__ = ["Markup", "tag"]


def tag(name: str, *children: object, **attributes: str) -> Markup:
    """``<name attribute="…">children</name>``; a trailing underscore in an attribute's name is dropped.

    Values are escaped unless they are Markup: what a tag is made of is HTML already, anything else is text. ``img``
    has no end.
    """
    pairs = "".join(f' {key.rstrip("_")}="{escape(value)}"' for key, value in attributes.items())
    end = "" if name == "img" else f"</{name}>"
    return Markup(f"<{name}{pairs}>{''.join(map(escape, children))}{end}")
