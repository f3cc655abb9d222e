"""Measuring from Python: arrays are what files of them would be, and laws are compared as the command does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import explorer.api as te
from explorer.theory import compare

REAL = np.random.default_rng(0).normal(size=(120, 2))
FAKE = np.random.default_rng(1).normal(size=(150, 2)) / 2
LABELS = np.arange(120) % 3


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_arrays_are_measured_as_files_of_them(tmp_path: Path) -> None:
    np.save(tmp_path / "real.npy", REAL)
    np.save(tmp_path / "fake.npy", FAKE)
    asked = ["precision", "recall", "kid"]
    from_files = te.measure(tmp_path / "real.npy", str(tmp_path / "fake.npy"), asked, k=3).values
    for given in (REAL, torch.from_numpy(REAL), REAL.tolist(), {"features": REAL}):
        from_arrays = te.measure(given, FAKE, ",".join(asked), k=3).values
        assert {name: from_arrays[name] for name in asked} == {name: from_files[name] for name in asked}
        assert from_arrays["settings"]["real"] == {"path": "an array", "samples": 120}
    assert from_files["settings"]["real"]["path"] == str(tmp_path / "real.npy")


def test_labels_are_scored_by_class() -> None:
    found = te.measure(
        {"features": REAL, "labels": LABELS}, {"features": REAL, "labels": LABELS}, "precision"
    )
    assert (found.values["modes"]["covered"], found.values["modes"]["distance"]) == (3, 0.0)


def test_equal_arrays_are_remembered_once(home: Path) -> None:
    te.measure(REAL, FAKE, "precision")
    kept = {file.name for file in (home / "measure").rglob("*") if file.is_file()}
    te.measure(REAL.copy(), FAKE * 2, "precision")
    assert {file.name for file in (home / "measure").rglob("*") if file.is_file()} == kept


def test_a_data_frame_has_numbers_and_intervals() -> None:
    scores = te.measure(REAL, FAKE, "precision,recall,prd").to_pandas()
    assert list(scores.columns) == ["value", "low", "high"]
    assert {"precision", "recall", "prd.f8"} <= set(scores.index)
    assert (scores["low"] <= scores["high"]).all()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((np.array([object()]), FAKE), "the real samples must be arrays of numbers or a path, but "),
        ((REAL, [[1, 2], [3]]), "the fake samples must be arrays of numbers or a path, but "),
        ((REAL, FAKE, "speed"), "metrics must be among "),
        ((REAL, FAKE, []), "metrics must be among "),
        ((REAL, "nowhere.npy"), "nowhere.npy"),
    ],
)
def test_what_cannot_be_measured_is_told(arguments: tuple[Any, ...], sentence: str) -> None:
    with pytest.raises(te.UserError) as error:
        te.measure(*arguments)
    assert sentence in str(error.value)


def test_laws_are_compared_as_by_the_command() -> None:
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.2, 0.6])
    assert te.compare(p, q, np.array([0.5, 1]), 4) == compare(p.tolist(), q.tolist(), [0.5, 1.0], 4)
    with pytest.raises(te.UserError, match="same number of probabilities"):
        te.compare([1.0], [0.5, 0.5])
