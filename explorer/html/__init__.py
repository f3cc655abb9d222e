"""A small HTML library: escaped markup, and a page that carries its figures."""

from explorer.html.markup import Markup, tag, text
from explorer.html.page import Page

__all__ = ["Markup", "Page", "tag", "text"]
