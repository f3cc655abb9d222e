"""A measurement's page holds its numbers and curves and fetches nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from explorer.errors import UserError
from explorer.measure import measure_paths, write_page
from explorer.measure.page import reasons, rows
from explorer.measure.report import Measurement
from tests.explorer.measure.fast import FAST


def test_rows_are_flat_and_in_order() -> None:
    number = {"value": 1.0, "ci": [0.5, 2.0], "interval": "pivot"}
    none = {"value": 3.0, "ci": None, "interval": None, "withheld": "too few"}
    values = {
        "fid": number,
        "is": None,
        "prd": {"f8": number, "auc": none},
        "kid": none,
        "modes": {"covered": 3},
        "curves": {"prd": {"lambda": [1.0]}},
        "settings": {},
    }
    found = rows(values)
    assert [row.name for row in found] == ["fid", "prd.f8", "prd.auc", "kid"]
    assert found[0].cells() == ("fid", "1", "0.5", "2", "pivot")
    assert found[2].cells() == ("prd.auc", "3", "–", "–", "withheld")
    assert reasons(found) == ["prd.auc, kid: too few"]


def test_page_holds_numbers_and_curves(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    np.save(tmp_path / "real.npy", rng.normal(size=(120, 3)))
    np.save(tmp_path / "fake.npy", rng.normal(size=(100, 3)))
    found = measure_paths(tmp_path / "real.npy", tmp_path / "fake.npy", None, FAST, tmp_path / "cache")
    write_page(found, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert f"{found.values['fid']['value']:.4g}" in page
    assert "prd.f1_8" in page
    assert found.values["prd"]["f8"]["interval"] in page
    assert "PRD (k-means)" in page
    assert "classifier (ensemble)" in page
    assert "exclusive (ensemble)" in page
    assert "default-src 'none'" in page  # nothing is fetched
    assert page.count("plotly.js v") == 1
    with pytest.raises(
        UserError, match=r"the page must go to a writable file, got .*: No such file or directory"
    ):
        write_page(found, tmp_path / "no" / "page.html")


def test_a_page_without_curves_needs_no_script_and_escapes_names(tmp_path: Path) -> None:
    side = {"path": "<b>x</b>", "samples": 3}
    number = {"value": 1.5, "ci": None, "interval": None, "withheld": "there are <3"}
    found = Measurement({"fid": number, "settings": {"real": side, "fake": side, "k": 3}})
    write_page(found, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "<script" not in page
    assert "<b>x</b>" not in page
    assert "&lt;b&gt;x&lt;/b&gt;" in page
    assert "3 real, 3 fake samples" in page
    assert "No interval for fid: there are &lt;3." in page
