"""Samples of any model on a front: measured as ``tradeoff measure`` does, once, all alike."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from explorer.errors import UserError
from explorer.goals import Goal
from explorer.measure import MeasureSettings, measure_paths
from explorer.pareto import Front
from explorer.results.store import ResultStore
from explorer.store.connection import Connection
from explorer.store.schema import NOTE, PLAIN
from explorer.transfer import SampleTrial, import_samples
from tests.stores import empty_store

QUICK = MeasureSettings(words=("precision", "recall", "fid"), k=3, device="cpu")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Real samples of the plane, and models that are narrow, wide and off."""
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))
    rng = np.random.default_rng(0)
    np.save(tmp_path / "real.npy", rng.normal(size=(200, 2)).astype(np.float32))
    for name, scale, shift in (("narrow", 0.5, 0), ("wide", 1.5, 0), ("off", 0.5, 9)):
        np.save(tmp_path / f"{name}.npy", (scale * rng.normal(size=(150, 2)) + shift).astype(np.float32))
    return tmp_path


def sets(folder: Path, *names: str) -> list[SampleTrial]:
    return [SampleTrial(folder / f"{name}.npy", {"model": name, "lam": i}) for i, name in enumerate(names)]


def test_sets_are_measured_once_and_stand_on_a_front(folder: Path) -> None:
    uri, told = empty_store(folder), list[str]()
    found = import_samples(
        "mine", folder / "real.npy", sets(folder, "narrow", "off"), uri, QUICK, stage=told.append
    )
    assert (found.written, found.known) == (2, 0)
    assert any(line.startswith("set 2 of 2, off.npy: ") for line in told)
    more = sets(folder, "narrow", "off", "wide")
    found = import_samples("mine", folder / "real.npy", more, uri, QUICK)
    assert (found.written, found.known) == (1, 2), "what is there is not measured again"

    store = ResultStore(uri)
    table = store.table("mine")
    assert [dict(trial.params) for trial in table] == [{"samples": s.fake.stem, **s.params} for s in more]
    assert [goal.metric for goal in table.goals] == ["precision", "recall", "fid"]
    for trial, one in zip(table, more, strict=True):
        direct = measure_paths(folder / "real.npy", one.fake, None, QUICK, folder / "cache").values
        assert trial.metrics["precision"] == direct["precision"]["value"]
        assert [trial.metrics["recall.low"], trial.metrics["recall.high"]] == direct["recall"]["ci"]
        assert trial.metrics["fid"] == direct["fid"]["value"]
        assert trial.status == "finished"
        assert set(trial.marks) == {PLAIN}
    assert {trial.params["model"] for trial in Front(table, PLAIN)} == {"narrow", "wide"}

    first = table.trials[0].run_id
    kept = store.artifact_json(first, "samples.json")
    assert kept is not None
    assert len(kept["real"]) == 200
    assert len(kept["readings"][0]["points"]) == 150
    assert (store.artifact_bytes(first, "thumb.png") or b"").startswith(b"\x89PNG")
    assert (store.artifact_bytes(first, "samples.png") or b"").startswith(b"\x89PNG")
    assert store.artifact_bytes(first, "curve.json") is None
    run, whole = Connection(uri).run(first), Connection(uri).run(store.parent("mine").run_id)
    assert run.tags["mlflow.runName"] == "narrow"
    assert run.tags[NOTE].startswith(f"![samples](get-artifact?path=thumb.png&run_uuid={first})")
    assert (whole.metrics["trials_finished"], whole.metrics["front_size"]) == (3, 2)
    assert first in whole.tags[NOTE]


def test_sets_of_one_sweep_are_measured_alike(folder: Path) -> None:
    uri, real = empty_store(folder), folder / "real.npy"
    import_samples("mine", real, sets(folder, "narrow"), uri, QUICK, goals=[Goal("fid", "min")])
    few = np.load(folder / "wide.npy")[:100]
    np.save(folder / "few.npy", few)
    np.save(folder / "other.npy", np.load(real)[::-1])
    refused = [
        (real, "wide", replace(QUICK, k=4), "with k 3, got 4"),
        (real, "wide", replace(QUICK, seed=1), "with seed 0, got 1"),
        (real, "wide", replace(QUICK, words=None), "with metrics precision, recall, fid, got all"),
        (real, "few", QUICK, "with samples of a set 150, got 100"),
        (folder / "other.npy", "wide", QUICK, "with real "),
    ]
    for place, name, settings, sentence in refused:
        with pytest.raises(UserError, match=sentence):
            import_samples("mine", place, sets(folder, name), uri, settings)
    assert len(ResultStore(uri).table("mine")) == 1
    import_samples("mine", real, sets(folder, "narrow"), uri, QUICK, goals=[Goal("recall", "max")])
    assert ResultStore(uri).table("mine").goals == (Goal("recall", "max"),)
    with pytest.raises(
        UserError, match="must have as many samples, since scores depend on it, got 100 to 150"
    ):
        import_samples("other", real, sets(folder, "few", "wide"), uri, QUICK)
    with pytest.raises(UserError, match="every set is given once"):
        import_samples("other", real, sets(folder, "wide") * 2, uri, QUICK)
    with pytest.raises(UserError, match="an objective must be measured, got 'density'"):
        import_samples("other", real, sets(folder, "wide"), uri, QUICK, goals=[Goal("density", "max")])
    with pytest.raises(UserError, match="does not exist"):
        import_samples("other", real, [SampleTrial(folder / "none.npy", {})], uri, QUICK)
    with pytest.raises(UserError, match="no samples are given"):
        import_samples("other", real, [], uri, QUICK)
    assert [info.name for info in ResultStore(uri).sweeps()] == ["mine"]


@pytest.mark.parametrize("name", ["real", "narrow"])
def test_numbers_that_cannot_be_measured_are_refused_before_anything_is_written(
    folder: Path, name: str
) -> None:
    uri, real, sound = empty_store(folder), folder / "real.npy", np.load(folder / f"{name}.npy")
    spoilt = sound.copy()
    spoilt[7, 1] = np.nan
    np.save(folder / f"{name}.npy", spoilt)
    with pytest.raises(UserError, match="finite"):
        import_samples("mine", real, sets(folder, "wide", "narrow"), uri, QUICK)
    assert ResultStore(uri).sweeps() == []
    np.save(folder / f"{name}.npy", sound)
    assert import_samples("mine", real, sets(folder, "wide", "narrow"), uri, QUICK).written == 2


def test_a_sweep_without_trials_is_measured_as_the_next_import_says(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uri, real = empty_store(folder), folder / "real.npy"
    with monkeypatch.context() as patch:
        patch.setattr("explorer.measure.measure_paths", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            import_samples("mine", real, sets(folder, "wide"), uri, QUICK)
    np.save(real, np.load(real)[::-1])
    other = replace(QUICK, words=("recall", "precision"), k=4)
    assert import_samples("mine", real, sets(folder, "wide"), uri, other).written == 1
    table = ResultStore(uri).table("mine")
    assert [goal.metric for goal in table.goals] == ["precision", "recall"]
    assert "k = 4" in table.description
    with pytest.raises(UserError, match="with k 4, got 3"):
        import_samples("mine", real, sets(folder, "wide"), uri, QUICK)


@pytest.mark.slow
def test_other_samples_under_the_same_parameters_are_another_trial(folder: Path) -> None:
    uri = empty_store(folder)
    for seed in (0, 1):
        np.save(folder / "narrow.npy", np.random.default_rng(seed).normal(size=(150, 2)))
        import_samples("mine", folder / "real.npy", sets(folder, "narrow"), uri, QUICK)
    assert len(ResultStore(uri).table("mine")) == 2


def test_folders_of_images_have_pictures(folder: Path) -> None:
    uri, rng = empty_store(folder), np.random.default_rng(0)
    for name in ("photos", "drawn"):
        (folder / name).mkdir()
        for number in range(12):
            pixels = rng.integers(0, 255, size=(8, 8), dtype=np.uint8)
            Image.fromarray(pixels).save(folder / name / f"{number:02}.png")
    found = import_samples(
        "images", folder / "photos", [SampleTrial(folder / "drawn", {})], uri, QUICK, features="identity"
    )
    assert found.written == 1
    store = ResultStore(uri)
    (trial,) = store.table("images")
    assert trial.params == {"samples": "drawn"}
    assert (store.artifact_bytes(trial.run_id, "thumb.png") or b"").startswith(b"\x89PNG")
    assert (store.artifact_bytes(trial.run_id, "samples.png") or b"").startswith(b"\x89PNG")
