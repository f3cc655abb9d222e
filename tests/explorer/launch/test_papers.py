"""What a sweep's run says of the sweep can be read back."""

from __future__ import annotations

import json
from pathlib import Path

import yaml

from explorer.launch.papers import papers
from explorer.store.schema import CATALOGUE_FILE, SWEEP_FILE
from explorer.sweep.sweep import build_sweep
from tests.explorer.launch.small import small_sweep


def test_the_sweep_file_is_a_sweep_again_and_metrics_are_told(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, description="λ, above all")
    kept = papers(sweep)
    assert set(kept) == {SWEEP_FILE, CATALOGUE_FILE}
    again = build_sweep(yaml.safe_load(kept[SWEEP_FILE]))
    assert again.document == sweep.document
    assert papers(again) == kept, "equal sweeps have equal papers"
    assert "precision" in {entry["key"] for entry in json.loads(kept[CATALOGUE_FILE])["metrics"]}
