"""Pages of HTML: tags whose text is escaped, and a document that carries its figures."""

from explorer.html.markup import Markup, tag
from explorer.html.page import Page

__all__ = ["Markup", "Page", "tag"]
