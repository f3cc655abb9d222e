"""Numbers and files of a measurement, as a trial of ours has them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from explorer.measure import Measurement
from explorer.measure.inputs import outline_sets
from explorer.transfer.sample_files import numbers, sample_files, write_files
from trainables.precision_recall import PRCurve


def test_numbers_have_keys_and_ends_of_intervals_theirs() -> None:
    found = Measurement(
        {
            "precision": {"value": 0.5, "ci": [0.25, 0.75]},
            "prd": {"f8": {"value": 0.1, "ci": None}, "auc": {"value": 0.2, "ci": [0.0, 1.0]}},
            "inception_score": None,
            "modes": {"covered": 3},
            "settings": {"k": 5},
        }
    )
    assert numbers(found) == {
        "precision": 0.5,
        "precision.low": 0.25,
        "precision.high": 0.75,
        "prd.f8": 0.1,
        "prd.auc": 0.2,
        "prd.auc.low": 0.0,
        "prd.auc.high": 1.0,
    }


def test_curves_are_kept_without_their_ends_and_plain_json(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for name in ("real", "fake"):
        np.save(tmp_path / f"{name}.npy", rng.normal(size=(30, 5)))
    lam = np.concatenate(([0.0], np.geomspace(0.01, 100, 400), [np.inf]))
    curve = PRCurve(lam, np.minimum(1, lam) / 2, np.minimum(1, 1 / np.maximum(lam, 1e-9)) / 2)
    files = sample_files(
        *outline_sets(tmp_path / "real.npy", tmp_path / "fake.npy"), Measurement(curves={"prd": curve})
    )
    assert set(files) == {"curves.json"}, "five numbers a sample are no picture"
    (told,) = json.loads(files["curves.json"], parse_constant=lambda word: 1 / 0)["curves"]
    assert (told["name"], told["title"], len(told["lambda"])) == ("prd", "PRD", 99)
    assert (told["lambda"][0], told["lambda"][-1]) == (0.01, 100.0)
    (tmp_path / "out").mkdir()
    write_files({"a": b"1", "b": "ü"}, tmp_path / "out")
    assert (tmp_path / "out" / "b").read_text(encoding="utf-8") == "ü"
