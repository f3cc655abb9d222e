"""Figures as pure functions of a table of trials."""

from explorer.figures.columns import (
    Column,
    colour_names,
    column,
    direction_of,
    numeric_names,
    score,
)
from explorer.figures.curves import history_figure, pr_curve_figure, read_curve
from explorer.figures.front import FrontView, default_view, front_figure
from explorer.figures.frontiers import frontier_figure
from explorer.figures.hover import hover_text
from explorer.figures.lambda_audit import lambda_figure, spread_by_lambda
from explorer.figures.own_lambda import own_lambda_figure
from explorer.figures.samples import Samples, samples_figure
from explorer.figures.theme import DARK, LIGHT, Palette, template, themed
from explorer.figures.thinning import evenly

__all__ = [
    "DARK",
    "LIGHT",
    "Column",
    "FrontView",
    "Palette",
    "Samples",
    "colour_names",
    "column",
    "default_view",
    "direction_of",
    "evenly",
    "front_figure",
    "frontier_figure",
    "history_figure",
    "hover_text",
    "lambda_figure",
    "numeric_names",
    "own_lambda_figure",
    "pr_curve_figure",
    "read_curve",
    "samples_figure",
    "score",
    "spread_by_lambda",
    "template",
    "themed",
]
