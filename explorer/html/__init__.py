"""Pages of HTML: tags whose text is escaped, and a document that carries its figures."""

from explorer.html.markup import Markup, tag
from explorer.html.page import Page
from explorer.html.writing import write_html

__all__ = ["Markup", "Page", "tag", "write_html"]
