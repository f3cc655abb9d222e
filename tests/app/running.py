"""The page run without a browser, and what is on it."""

from __future__ import annotations

import base64
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

MAIN = Path(__file__).resolve().parents[2] / "app" / "main.py"
WAIT_S = 90.0

# A server looks through all installed packages once; every page of a test would do so again, for longer than it runs.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


def run_page(**query: str | list[str]) -> AppTest:
    """The whole page at a URL; the store is the one that ``MLFLOW_TRACKING_URI`` names."""
    app = AppTest.from_file(str(MAIN), default_timeout=WAIT_S)
    for key, value in query.items():
        app.query_params[key] = value
    return app.run()


def run_part(draw: Any, **arguments: Any) -> AppTest:
    """One function as a page of its own; it has to import what it needs."""
    return AppTest.from_function(draw, default_timeout=WAIT_S, kwargs=arguments).run()


def html(app: AppTest) -> str:
    """Everything drawn as HTML, the style sheet included."""
    return "\n".join(part.proto.body for part in app.get("html"))


def figures(app: AppTest) -> dict[str, dict[str, Any]]:
    """Plotly figures by the key of their widget, in the page's order."""
    return {
        chart.proto.id.rpartition("-")[2]: json.loads(chart.proto.spec) for chart in app.get("plotly_chart")
    }


def points(figure: dict[str, Any]) -> set[str]:
    """Identities of the trials in a figure of the front."""
    return {data[0] for trace in figure["data"] for data in trace.get("customdata") or ()}


def told(app: AppTest) -> list[str]:
    """Labels of the widgets that were told a value after they began with another.

    Until it has heard, the browser speaks of the other one, as if the reader had chosen it.
    """
    kinds = (app.selectbox, app.multiselect, app.toggle, app.number_input, app.select_slider)
    return [widget.label for kind in kinds for widget in kind if widget.proto.set_value]


def length(values: Any) -> int:
    """How many numbers an array of a figure holds, which plotly may have packed into bytes."""
    if isinstance(values, dict):
        return len(base64.b64decode(values["bdata"])) // np.dtype(values["dtype"]).itemsize
    return len(values)


def options(app: AppTest, label: str) -> list[str]:
    """What a selectbox offers."""
    return next(list(box.options) for box in app.selectbox if box.label == label)


def query(app: AppTest) -> dict[str, list[str]]:
    """The URL as the page left it."""
    return {key: value if isinstance(value, list) else [value] for key, value in app.query_params.items()}
