"""Charts on a canvas: what ``explorer.figures.chart`` describes, drawn in the reader's browser."""

from app.chart.component import chart

__all__ = ["chart"]
