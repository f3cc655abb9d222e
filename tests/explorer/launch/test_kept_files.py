"""Arrays and readings of a trial, as programs read them; equal evaluations give equal bytes."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import numpy as np

from explorer.launch.kept_files import kept_files
from explorer.store.schema import PLAIN, At
from tests.explorer.launch.small import made_up
from trainables.evaluation.reading import Evaluation, Reading

MARKS = {PLAIN: "plain", At("obrs", 2.0): "two"}


def test_samples_are_arrays_by_their_reading() -> None:
    found = made_up(8, final=True)
    plain = replace(found.readings[0], rejected=np.ones((2, 2)))
    files = kept_files(replace(found, readings=(plain, *found.readings[1:])), MARKS)
    assert isinstance(files["samples.npz"], bytes)
    with np.load(io.BytesIO(files["samples.npz"])) as arrays:
        assert {*arrays} == {"real", "none/1", "none/1/refused", "obrs/2"}
        assert arrays["real"].dtype == np.float32
        np.testing.assert_allclose(arrays["none/1"], found.readings[0].samples, rtol=1e-6)


def test_images_stay_bytes_and_have_their_classes() -> None:
    images, classes = np.full((3, 1, 4, 4), 7, np.uint8), np.array([0, 1, 2])
    reading = Reading(*PLAIN, {}, samples=images, classes=classes)
    files = kept_files(Evaluation(8, True, (reading,), real=images, real_classes=classes), {})
    with np.load(io.BytesIO(files["samples.npz"])) as arrays:  # type: ignore[arg-type]
        assert (arrays["real"].dtype, arrays["none/1/classes"].tolist()) == (np.uint8, [0, 1, 2])


def test_every_reading_has_values_intervals_cost_and_mark() -> None:
    found = made_up(8, final=True)
    metrics = {
        "precision": 0.5,
        "precision.low": 0.4,
        "precision.high": 0.6,
        "fid": float("inf"),
        "odd.low": 1.0,
    }
    files = kept_files(replace(found, readings=(Reading(*PLAIN, metrics), *found.readings[1:])), MARKS)
    told = json.loads(files["readings.json"])
    first, second = told["readings"]
    assert (told["iteration"], told["diagnostics"]) == (8, {"critic_loss": 0.1})
    assert first["metrics"]["precision"] == {"value": 0.5, "low": 0.4, "high": 0.6}
    assert first["metrics"]["fid"] == {"value": None}
    assert first["metrics"]["odd.low"] == {"value": 1.0}
    assert (first["mark"], first["cost"], second["mark"]) == ("plain", None, "two")
    assert second["cost"] == {"draws": 2.0, "scores": 2.0, "gradients": 0.0}


def test_equal_evaluations_give_equal_bytes_and_one_without_samples_no_arrays() -> None:
    found = made_up(8, final=True)
    assert kept_files(found, MARKS) == kept_files(made_up(8, final=True), MARKS)
    assert set(kept_files(made_up(8, final=False), {})) == {"readings.json"}
