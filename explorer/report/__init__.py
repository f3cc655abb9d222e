"""A sweep as one HTML file."""

from explorer.report.writing import write_report

__all__ = ["write_report"]
