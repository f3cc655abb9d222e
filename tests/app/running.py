"""The page run without a browser, and what is on it."""

from __future__ import annotations

import json
import struct
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

MAIN = Path(__file__).resolve().parents[2] / "app" / "main.py"
WAIT_S = 90.0

# A server looks through all installed packages once; every page of a test would do so again, for longer than it runs.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


def run_page(page: str = "front", **query: str | list[str]) -> AppTest:
    """A whole page at a URL; the store is the one that ``MLFLOW_TRACKING_URI`` names."""
    app = AppTest.from_file(str(MAIN), default_timeout=WAIT_S)
    if page != "front":
        app._page_hash = calc_hash(page)
    for key, value in query.items():
        app.query_params[key] = value
    return app.run()


def run_part(draw: Any, **arguments: Any) -> AppTest:
    """One function as a page of its own; it has to import what it needs."""
    return AppTest.from_function(draw, default_timeout=WAIT_S, kwargs=arguments).run()


def html(app: AppTest) -> str:
    """Everything drawn as HTML, the style sheet included."""
    return "\n".join(part.proto.body for part in app.get("html"))


def charts(app: AppTest) -> dict[str, dict[str, Any]]:
    """What the charts of a page were told, by their key, in the page's order."""
    parts = [part.proto for part in app.get("bidi_component")]
    found = [unpacked(part.bytes) for part in parts if part.component_name.endswith("tradeoff_chart")]
    return {chart["key"]: chart for chart in found}


def unpacked(content: bytes) -> dict[str, Any]:
    """A chart from its bytes: the inverse of ``packed``, with arrays in the header's places."""
    (length,) = struct.unpack_from("<I", content)
    start = -(-(4 + length) // 8) * 8

    def arrays(value: dict[str, Any]) -> Any:
        if set(value) != {"$"}:
            return value
        offset, count, kind, shape = value["$"]
        return np.frombuffer(content, np.dtype(f"<{kind}"), count, start + offset).reshape(shape)

    found: dict[str, Any] = json.loads(content[4 : 4 + length], object_hook=arrays)
    return found


def layers(chart: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """All layers of a kind, those of panels among them."""
    every = [*chart["layers"], *(layer for panel in chart["panels"] for layer in panel["layers"])]
    return [layer for layer in every if layer["kind"] == kind]


def places(chart: dict[str, Any]) -> dict[str, tuple[float, float]]:
    """Where the points of a chart lie, by their key."""
    return {
        chart["keys"][key]: (float(x), float(y))
        for layer in layers(chart, "points")
        if layer["key"] is not None
        for key, x, y in zip(layer["key"], layer["x"], layer["y"], strict=True)
    }


def told(app: AppTest) -> list[str]:
    """Labels of the widgets that were told a value after they began with another.

    Until it has heard, the browser speaks of the other one, as if the reader had chosen it.
    """
    kinds = (app.selectbox, app.multiselect, app.toggle, app.number_input, app.select_slider)
    return [widget.label for kind in kinds for widget in kind if widget.proto.set_value]


def options(app: AppTest, label: str) -> list[str]:
    """What a selectbox offers."""
    return next(list(box.options) for box in app.selectbox if box.label == label)


def query(app: AppTest) -> dict[str, list[str]]:
    """The URL as the page left it."""
    return {key: value if isinstance(value, list) else [value] for key, value in app.query_params.items()}
