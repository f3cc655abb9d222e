"""Pages of HTML: tags whose text is escaped, and a document that carries its figures."""

from explorer.html.markup import Markup, tag
from explorer.html.page import Page
from explorer.html.picture import is_picture, picture_tag
from explorer.html.writing import write_html

__all__ = ["Markup", "Page", "is_picture", "picture_tag", "tag", "write_html"]
