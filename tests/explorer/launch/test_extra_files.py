"""What explains a trial's numbers becomes files; each that fails is told, and the others are there."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from explorer.launch import extra_files as module
from explorer.launch.extra_files import extra_files
from explorer.store.connection import LARGEST
from tests.explorer.launch.small import made_up
from trainables.evaluation.findings import EstimatedCurve, Findings, Side, Witnesses
from trainables.evaluation.reading import PLAIN, Evaluation, Reading


def findings(samples: np.ndarray) -> Findings:
    outside = Side(1 / 3, np.array([2.123456789, 1.5])[: len(samples)], samples)
    third = np.array([0.5, 1.0, 2.0])
    curve = EstimatedCurve("prd", "PRD", "By clusters.", third, third / 3, np.full(3, 1 / 3))
    law = EstimatedCurve("exact", "Exact", "By the law.", third, third / 3, np.full(3, 1 / 3), third / 30)
    return Findings(Witnesses(outside, Side(0.0, np.empty(0), samples[:0]), "identity", 3), (law, curve))


def test_files_of_points() -> None:
    points = np.array([[1.23456, 2.0], [0.0, 1.0]])
    files, left_out = extra_files(replace(made_up(8, final=True), findings=findings(points)))
    assert left_out == []
    assert set(files) == {"witnesses.json", "curves.json", "thumb.png"}
    assert json.loads(files["witnesses.json"]) == {
        "outside": {"share": 0.33333, "points": [[1.2346, 2.0], [0.0, 1.0]], "excess": [2.1235, 1.5]},
        "missed": {"share": 0.0, "points": [], "excess": []},
        "features": "identity",
        "k": 3,
    }
    law, prd = json.loads(files["curves.json"])["curves"]
    assert prd == {
        "name": "prd",
        "title": "PRD",
        "sentence": "By clusters.",
        "lambda": [0.5, 1.0, 2.0],
        "precision": [0.16667, 0.33333, 0.66667],
        "recall": [0.33333] * 3,
    }
    assert law["error"] == [0.016667, 0.033333, 0.066667]
    for name, content in files.items():
        assert len(content) < LARGEST[name] / 4


def test_files_of_images_have_a_picture_and_no_points() -> None:
    images = np.zeros((2, 3, 8, 8), np.uint8)
    evaluation = Evaluation(
        8, True, (Reading(*PLAIN, {}, samples=images),), real=images, findings=findings(images)
    )
    files, left_out = extra_files(evaluation)
    assert left_out == []
    assert set(files) == {"witnesses.json", "witnesses.png", "curves.json", "thumb.png"}
    assert json.loads(files["witnesses.json"])["outside"]["points"] == []
    picture = files["witnesses.png"]
    assert isinstance(picture, bytes)
    assert Image.open(io.BytesIO(picture)).format == "PNG"


@pytest.mark.parametrize("shape", [(2, 2, 8, 8), (2, 5)])
def test_what_cannot_be_drawn_has_numbers_alone(shape: tuple[int, ...]) -> None:
    samples = np.zeros(shape, np.uint8)
    evaluation = Evaluation(
        8, True, (Reading(*PLAIN, {}, samples=samples),), real=samples, findings=findings(samples)
    )
    files, left_out = extra_files(evaluation)
    assert (set(files), left_out) == ({"witnesses.json", "curves.json"}, [])


def test_an_evaluation_without_findings_or_samples_has_none() -> None:
    assert extra_files(Evaluation(8, True)) == ({}, [])
    assert set(extra_files(made_up(8, final=True))[0]) == {"thumb.png"}


def test_what_fails_is_told_and_the_others_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*args: object) -> None:
        raise OSError("no room")

    monkeypatch.setattr(module, "thumbnail", fails)
    found = replace(findings(np.zeros((1, 2))), left_out=("witnesses are few",))
    files, left_out = extra_files(replace(made_up(8, final=True), findings=found))
    assert set(files) == {"witnesses.json", "curves.json"}
    assert left_out == ["witnesses are few", "thumb.png is left out (OSError: no room)"]
