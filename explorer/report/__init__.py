"""A sweep as one HTML file."""

from explorer.report.markup import Markup, tag, text
from explorer.report.writing import along, short_name, write_report

__all__ = ["Markup", "along", "short_name", "tag", "text", "write_report"]
