"""The study of refined images, in small: what one stage writes the other reads through every refinement."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.refined_images import BUDGETS, METHODS, main
from trainables.safetensors import read_tensors


@pytest.mark.slow
def test_the_generators_of_the_quick_study_are_read_through_every_refinement(tmp_path: Path) -> None:
    quick = ["--quick", "--device", "cpu"]
    main([str(tmp_path / "trained"), *quick, "--seeds", "100", "--lams", "0.5"])
    kept, fresh = (sorted((tmp_path / "trained" / critic).iterdir()) for critic in ("kept", "fresh"))
    for files in (kept, fresh):
        assert [file.name for file in files] == ["base-100.safetensors", "lam-0.5-100.safetensors"]
    for ours, other in zip(kept, fresh, strict=True):
        (own, _), (new, _) = read_tensors(ours.read_bytes()), read_tensors(other.read_bytes())
        assert own.keys() == new.keys()
        for name in own:
            same = np.array_equal(own[name], new[name])
            assert same == name.startswith("generator."), "one generator, two critics and their ratios"

    main([str(tmp_path / "read"), *quick, "--samples", "200", "--on", *map(str, fresh)])
    assert (tmp_path / "read" / "lam-0.5-100.png").read_bytes().startswith(b"\x89PNG")
    rows = json.loads((tmp_path / "read" / "images.json").read_text())
    for lam in (None, 0.5):
        own = [row for row in rows if (row["lam"], row["seed"]) == (lam, 100)]
        readings = [(row["method"], row["budget"]) for row in own if row["method"] != "reliability"]
        assert readings == [
            ("none", 1.0),
            *((method.name, budget) for method in METHODS for budget in BUDGETS),
        ]
        assert all("fid" in row and row["calls"] <= 2.5 * row["budget"] for row in own if "budget" in row)
        (verdict,) = (row for row in own if row["method"] == "reliability")
        assert verdict["sentence"]


def test_files_of_other_names_are_refused_before_they_are_read(tmp_path: Path) -> None:
    other = tmp_path / "generator.safetensors"
    other.write_bytes(b"")
    with pytest.raises(SystemExit, match="must be named as lam-0"):
        main([str(tmp_path), "--quick", "--device", "cpu", "--samples", "50", "--on", str(other)])
