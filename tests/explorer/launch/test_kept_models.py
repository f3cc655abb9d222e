"""Which trials get a model: all, those on the front when they end, or none; and what goes wrong is told."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

import explorer.launch.kept_models as kept_models
from explorer.goals import parse_goals
from explorer.launch.kept_models import KeptModels
from explorer.models import Tried
from explorer.store.schema import PLAIN
from tests.trainables.samplers.trained import trained
from trainables.evaluation.reading import Evaluation, Reading
from trainables.training.local_files import LocalFiles
from trainables.training.state_files import SAMPLER

GOALS = parse_goals({"precision": "max", "fid": "min"})


def _found(precision: float, fid: float) -> Evaluation:
    return Evaluation(8, True, (Reading(*PLAIN, {"precision": precision, "fid": fid}),))


def _files(folder: Path, *trials: str) -> LocalFiles:
    files = LocalFiles(folder)
    for trial in trials:
        files.write(trial, SAMPLER, trained("points").file)
    return files


def test_all_get_one_and_none_get_none(tmp_path: Path) -> None:
    files = _files(tmp_path, "aa")
    made, told = KeptModels(files, "all", GOALS).of("aa", _found(0.1, 9))
    assert "model/MLmodel" in made
    assert "model/data/weights.safetensors" in made
    assert told == []
    assert KeptModels(files, "none", GOALS).of("aa", _found(1, 0)) == ({}, [])
    assert KeptModels(files, "all", GOALS).of("bb", _found(1, 0)) == ({}, [])


def test_on_the_front_is_who_nobody_beats_when_it_ends(tmp_path: Path) -> None:
    files = _files(tmp_path, "aa")
    ended = [{"precision": 0.5, "fid": 1.0}, {}]
    kept = KeptModels(files, "front", GOALS, ended)

    def has(precision: float, fid: float) -> bool:
        return bool(kept.of("aa", _found(precision, fid))[0])

    assert not has(0.4, 1.0)
    assert not has(0.5, 2.0)
    assert has(0.5, 1.0), "equal is not beaten, and a write that is repeated is the same"
    assert has(0.6, 2.0)
    assert has(0.9, 0.5)
    assert not has(0.6, 2.0)
    assert not has(float("nan"), 0.1)


def test_a_damaged_file_costs_the_model_alone(tmp_path: Path) -> None:
    files = LocalFiles(tmp_path)
    files.write("aa", SAMPLER, b"no tensors at all")
    made, told = KeptModels(files, "all", GOALS).of("aa", _found(1, 0))
    assert made == {}
    assert told[0].startswith("its model is left out (its networks are kept in a file that cannot be used")


def test_an_installation_of_which_nothing_is_known_costs_the_model_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(sampler: bytes) -> dict[str, bytes]:
        raise PackageNotFoundError("mlflow")

    monkeypatch.setattr(kept_models, "model_files", unknown)
    made, (told,) = KeptModels(_files(tmp_path, "aa"), "all", GOALS).of("aa", _found(1, 0))
    assert made == {}
    assert "its model is left out (PackageNotFoundError" in told


def test_a_model_that_cannot_be_loaded_elsewhere_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Tried, "fault", lambda self, files: "OSError: no such file")
    made, (told,) = KeptModels(_files(tmp_path, "aa"), "all", GOALS).of("aa", _found(1, 0))
    assert made == {}
    assert (
        told == "its model is left out (it cannot be loaded where its modules are not: OSError: no such file)"
    )
