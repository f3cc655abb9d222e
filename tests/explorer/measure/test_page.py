"""A measurement's page holds its numbers and curves and fetches nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from explorer.errors import UserError
from explorer.measure import measure_paths, write_page
from explorer.measure.page import rows
from explorer.measure.report import Measurement
from tests.explorer.measure.fast import FAST


def test_rows_are_flat_and_in_order() -> None:
    number = {"value": 1.0, "ci": [0.5, 2.0]}
    values = {
        "fid": number,
        "is": None,
        "prd": {"f8": number, "auc": number},
        "modes": {"covered": 3},
        "settings": {},
    }
    assert rows(values) == [("fid", 1.0, 0.5, 2.0), ("prd.f8", 1.0, 0.5, 2.0), ("prd.auc", 1.0, 0.5, 2.0)]


def test_page_holds_numbers_and_curves(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    np.save(tmp_path / "real.npy", rng.normal(size=(120, 3)))
    np.save(tmp_path / "fake.npy", rng.normal(size=(100, 3)))
    found = measure_paths(tmp_path / "real.npy", tmp_path / "fake.npy", None, FAST, tmp_path / "cache")
    write_page(found, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert f"{found.values['fid']['value']:.4g}" in page
    assert "prd.f1_8" in page
    assert "PRD (k-means)" in page
    assert "default-src 'none'" in page  # nothing is fetched
    assert page.count("plotly.js v") == 1
    with pytest.raises(
        UserError, match=r"the page must go to a writable file, got .*: No such file or directory"
    ):
        write_page(found, tmp_path / "no" / "page.html")


def test_a_page_without_curves_needs_no_script_and_escapes_names(tmp_path: Path) -> None:
    side = {"path": "<b>x</b>", "samples": 3}
    found = Measurement(
        {"fid": {"value": 1.5, "ci": [1.0, 2.0]}, "settings": {"real": side, "fake": side, "k": 3}}
    )
    write_page(found, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "<script" not in page
    assert "<b>x</b>" not in page
    assert "&lt;b&gt;x&lt;/b&gt;" in page
    assert "3 real, 3 fake samples" in page
