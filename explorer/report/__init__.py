"""A sweep as one HTML file."""

from explorer.report.writing import along, short_name, write_report

__all__ = ["along", "short_name", "write_report"]
