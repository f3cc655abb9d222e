"""The pair of torch and torchvision, and the GPUs it reaches."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from explorer.doctor import torch_build
from explorer.doctor.finding import Subject
from explorer.doctor.torch_build import check_torch

HERE = Subject("sqlite:///x")


def test_the_pair_of_the_tests_belongs_together() -> None:
    (finding,) = check_torch(HERE)
    assert finding.state == "ok", finding
    assert finding.sentence.startswith("torch ")


def test_it_works_when_it_is_tried() -> None:
    told: list[str] = []
    (finding,) = check_torch(replace(HERE, deep=True, tell=told.append))
    assert finding.state == "ok", finding
    assert told[0].startswith("loading torch")


def test_a_pair_of_different_builds_is_told_by_its_symptom(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_build, "_built_for", lambda package: "1.2.3")
    (problem,) = check_torch(HERE)
    assert problem.state == "problem"
    assert "`torchvision::nms does not exist`" in problem.sentence
    assert "torch==1.2.3" in problem.remedy


def test_a_gpu_that_torch_is_not_built_for_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "version").write_text("NVRM")
    monkeypatch.setattr(torch_build, "_DRIVER", tmp_path / "version")
    monkeypatch.setattr(torch_build, "_cuda_of_torch", lambda: None)
    (problem,) = check_torch(HERE)
    assert "built without CUDA" in problem.sentence


def test_what_fails_is_told_in_its_last_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_build, "_TRY", "raise RuntimeError('operator torchvision::nms does not exist')")
    (problem,) = check_torch(replace(HERE, deep=True))
    assert problem.state == "problem"
    assert problem.sentence.endswith("fails: RuntimeError: operator torchvision::nms does not exist")


def test_a_torch_that_hangs_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_build, "_TRY", "import time; time.sleep(60)")
    monkeypatch.setattr(torch_build, "_LONGEST", 0.2)
    (problem,) = check_torch(replace(HERE, deep=True))
    assert "did not answer" in problem.sentence
