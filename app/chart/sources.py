"""The chart's script: its parts joined into one program that carries its own text along."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

__all__ = ["PARTS", "module", "page_script", "program"]

FOLDER = Path(__file__).parent

PARTS = (
    "decoding",
    "colours",
    "numbers",
    "scales",
    "words",
    "symbols",
    "looks",
    "raster",
    "layers",
    "highlights",
    "legend",
    "layout",
    "axes",
    "drawing",
    "svg",
    "nearest",
    "card",
    "zooming",
    "selecting",
    "keyboard",
    "icons",
    "toolbar",
    "saving",
    "tables",
    "main",
)
"""Files of the program in the order in which they are joined; all share one scope."""


@cache
def program() -> str:
    """The program as a function expression, whose value is the chart's entry points.

    A function knows its own text, so that a chart in a browser can save itself as a page without asking anybody.
    """
    style = json.dumps(_lean_style(_read("chart.css")))
    parts = "\n".join(_lean(_read(f"{part}.js")) for part in PARTS)
    return f"function tradeoffChart() {{\n'use strict';\nconst STYLE = {style};\n{parts}\n}}"


@cache
def module() -> str:
    """The program as a module whose default export draws a chart in a component of Streamlit's."""
    return f"const {{ component }} = ({program()})();\nexport default component;\n"


@cache
def page_script() -> str:
    """The program as the script of a saved page: it draws all charts that wait there."""
    return f"({program()})().page(document);"


def _read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def _lean(source: str) -> str:
    """Without lines that are comments alone, indentation and empty lines: a third of what is sent."""
    lines = (line.strip() for line in source.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def _lean_style(source: str) -> str:
    """Without comments and line breaks."""
    return re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", "", source, flags=re.DOTALL)).strip()
