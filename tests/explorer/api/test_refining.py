"""Trained models refined and sampled from Python: what is accepted, what comes back, and what is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import explorer.api as te
from explorer.results.store import ResultStore
from explorer.store.schema import At
from tests.explorer.refining.own_store import copied, held
from tests.explorer.refining.stored_trials import RING, TAGS, stored
from tests.trainables.samplers.given import archive
from tests.trainables.samplers.scripts import Critic, Generator, saved

REAL = np.random.default_rng(5).normal(1, 1, (1000, 1)).astype(np.float32)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def ring() -> te.Results:
    return te.results(RING, stored())


def identity(found: te.Results, objective: str = "gan") -> str:
    (trial,) = (
        trial.id
        for trial in found.table
        if trial.status == "finished" and trial.params["objective.name"] == objective
    )
    return trial


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A generator of Q = N(0, 1) with its critic, real samples of P = N(1, 1), and scored samples."""
    folder = tmp_path_factory.mktemp("files")
    np.savez(folder / "real.npz", samples=REAL)
    return {
        "generator": saved(Generator(), folder / "generator.pt"),
        "critic": saved(Critic(), folder / "critic.pt"),
        "real": folder / "real.npz",
        "scored": archive(folder / "scored.npz", real_scores=REAL[:, 0] - 0.5),
    }


def test_readings_come_back_as_a_document_and_as_a_table(ring: te.Results) -> None:
    found = te.refine(ring, identity(ring), "obrs", [2, 1.5], log=False)
    document = json.loads(json.dumps(found.document(), allow_nan=False))
    assert (document["trial"], document["method"]) == (identity(ring), "obrs")
    assert list(document["budgets"]) == ["1", "1.5", "2"]
    table = found.to_pandas()
    assert table.index.name == "budget"
    assert table.index.tolist() == [1.0, 1.5, 2.0]
    for budget, reading in zip((1.0, 1.5, 2.0), document["budgets"].values(), strict=True):
        row = table.loc[[budget]].iloc[0]
        assert all(row[name] == value for name, value in reading["metrics"].items())
        assert all(row[f"predicted.{name}"] == value for name, value in reading["predicted"].items())
        assert (row["draws"], row["scores"], row["gradients"]) == tuple(
            reading["ledger"]["per_sample"][name] for name in ("draws", "scores", "gradients")
        )
        assert (row["acceptance"], row["seconds"]) == (reading["acceptance"], reading["ledger"]["seconds"])
    assert {"precision.low", "precision.high"} <= set(table)


def test_a_trial_is_named_by_how_its_identity_begins(ring: te.Results) -> None:
    whole = identity(ring)
    found = te.refine(ring, whole[:6], "mh", [2], samples=60, log=False)
    assert found.subject.trial == whole
    assert (found.document()["settings"]["samples"], found.seed) == (60, 0)


def test_what_is_found_is_logged_unless_it_is_not_wanted(place: Path) -> None:
    uri = copied(stored(), place / "store")
    ring = te.results(RING, uri)
    before, told = held(uri), list[str]()
    te.refine(ring, identity(ring), "drs", [2], log=False, stage=told.append)
    assert held(uri) == before
    assert told[0] == f"drs: reading trial {identity(ring)}"
    assert told[-1] == "drs: K = 2, 400 of 400 samples"
    found = te.refine(ring, identity(ring), "drs", [2], stage=told.append)
    run = ring[identity(ring)].run_id
    assert told[-1] == f"logged to run {run}: refined-drs.json; 1 reading"
    (now,) = (trial for trial in ResultStore(uri).table(RING) if trial.run_id == run)
    assert now.at(At("drs", 2.0))["fid"] == found.to_pandas()["fid"].tolist()[1]


def test_changes_are_values_by_path(ring: te.Results) -> None:
    changes = {"refinement.rate": 0.003, "evaluation.k": 5}
    found = te.refine(ring, identity(ring), "dot", [2], changes=changes, log=False).document()
    assert (found["fields"], found["settings"]["k"]) == ({"rate": 0.003}, 5)


def test_numbers_are_those_of_numpy_and_torch(ring: te.Results) -> None:
    options: dict[str, Any] = {"samples": np.int64(60), "seed": np.int32(2), "log": np.False_}
    plain = te.refine(ring, identity(ring), "mh", [2, 3], samples=60, seed=2, log=False).to_pandas()
    for budgets in ((3, 2.0), np.array([2, 3]), torch.tensor([2.0, 3.0]), iter([2, 3])):
        same = te.refine(ring, identity(ring), "mh", budgets, **options).to_pandas()
        assert same.drop(columns="seconds").equals(plain.drop(columns="seconds"))


def test_a_model_in_files_stands_in_place_of_a_trial(files: dict[str, Path]) -> None:
    own: dict[str, Any] = {"critic": files["critic"], "real": str(files["real"]), "samples": 300}
    shapes: list[Any] = [None, 1, [1], (np.int64(1),)]
    for latent in shapes:
        found = te.refine(str(files["generator"]), method="mh", budgets=[2], latent=latent, **own)
        assert found.document()["model"] == f"generator {files['generator']}"
        assert found.to_pandas()["fid"].is_monotonic_decreasing
    scored = te.refine(files["scored"], budgets=[2], real=files["real"]).document()
    assert scored["ratio"] == {"source": "scores", "calibration": "slope"}
    assert "run" not in scored


def test_samples_are_written_and_their_cost_comes_back(ring: te.Results, place: Path) -> None:
    options: dict[str, Any] = {"n": 20, "method": "mh", "budget": np.float64(3), "seed": np.int64(1)}
    for out in ("a.npz", place / "b.npz"):
        made = te.sample(ring, identity(ring), out, **options)
        assert (made["method"], made["budget"], made["ledger"]["draws"]) == ("mh", 3.0, 60)
        with np.load(out) as arrays:
            assert json.loads(str(arrays["made"])) == made
    with np.load("a.npz") as first, np.load("b.npz") as second:
        assert np.array_equal(first["samples"], second["samples"])


def test_samples_are_of_the_class_that_is_asked_for() -> None:
    tags = te.results(TAGS, stored())
    (trial,) = tags.table
    te.sample(tags, trial.id, "a.npz", 8, label=4)
    with np.load("a.npz") as arrays:
        assert arrays["classes"].tolist() == [4] * 8


def test_models_in_files_are_sampled(files: dict[str, Path]) -> None:
    told: list[str] = []
    made = te.sample(
        files["generator"], None, "a.npz", 100, budget=2, critic=files["critic"], stage=told.append
    )
    assert made["model"] == f"generator {files['generator']}"
    assert told[-1] == "obrs, K = 2: 100 of 100 samples"
    assert te.sample(files["scored"], None, "b.npz", 10, "mh", 2)["ledger"]["draws"] == 20
    with pytest.raises(te.UserError, match="which is read; give another name"):
        te.sample(files["scored"], None, files["scored"])


HOSTILE: list[tuple[dict[str, Any], str]] = [
    *(({"method": m}, "the method must be text") for m in (None, 5, b"obrs", ["obrs"], "ob\0rs")),
    *(({"seed": s}, "the seed must be a whole number from 0 ") for s in (None, "0", 1.5, True, [1], -1, 10**400)),
    *(({"ratio": r}, "the ratio must be text, got ") for r in (None, 5, ["critic"], object())),
    *(({"calibration": c}, "the calibration must be text, got ") for c in (5, b"slope", ["slope"])),
    *(({"device": d}, "the device must be text, got ") for d in (None, 5, ["cpu"])),
    *(({"changes": c}, "changes must be a mapping such as ") for c in (5, "a=1", ["a=1"], {"a"})),
    ({"changes": {5: 1}}, "the keys of 'changes' must be text, got 5"),
    ({"changes": {"evaluation.k": object()}}, "'evaluation.k' must be made of numbers, text, lists and mappings"),
    ({"changes": {"evaluation.k": "a\0"}}, "'evaluation.k' must be plain text, got the control character U+0000"),
    ({"stage": None}, "stage must be a function that takes a text, got None"),
    *(({"scores": s}, "scores must be text, got ") for s in (None, 5, ["logit"], np.array(["logit", "ratio"]))),
    ({"ratio": "critics"}, "the ratio cannot be 'critics'; did you mean 'critic'?"),
    ({"calibration": "slop"}, "the calibration cannot be 'slop'; did you mean 'slope'?"),
    ({"method": "vote"}, "'refinement.name' cannot be 'vote'"),
    ({"latent": 3}, "latent belongs to a model in files, and a trial has its own; leave it out"),
    ({"critic": object()}, "critic belongs to a model in files"),
]  # fmt: skip
ONLY_REFINE: list[tuple[dict[str, Any], str]] = [
    *(({"budgets": b}, "budgets must be a list of numbers, got ") for b in (None, 5, "1,2", {2: 1}, object())),
    *(({"budgets": b}, "every number of budgets must be a number, got ") for b in (["2"], [None], [[2]], [10**400])),
    ({"budgets": [0.5]}, "budget K must be ≥ 1, got 0.5"),
    ({"budgets": [float("nan")]}, "budget K must be ≥ 1, got nan"),
    *(({"samples": s}, "samples must be a whole number from 1 ") for s in ("5", 1.5, True, 0, [5])),
    *(({"log": value}, "log must be True or False, got ") for value in (None, "no", 2)),
]  # fmt: skip
ONLY_SAMPLE: list[tuple[dict[str, Any], str]] = [
    *(({"n": n}, "n must be a whole number from 1 ") for n in (None, "5", 0, 1.5, True)),
    *(({"budget": b}, "budget K must be a number, got ") for b in (None, "2", [2])),
    *(({"label": label}, "the label must be a whole number from 0 ") for label in ("1", -1, 1.5, True)),
    *(({"out": out}, "the place of samples must be a path") for out in (None, 5, b"a.npz", "a\0.npz")),
    ({"out": " "}, "the place of samples must name a file or folder, got ' '"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "sentence"), HOSTILE + ONLY_REFINE)
def test_what_cannot_be_refined_is_told(ring: te.Results, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(te.UserError) as error:
        te.refine(ring, identity(ring), **{"log": False, **options})
    assert str(error.value).startswith(sentence)


@pytest.mark.parametrize(("options", "sentence"), HOSTILE + ONLY_SAMPLE)
def test_what_cannot_be_sampled_is_told(
    ring: te.Results, place: Path, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(te.UserError) as error:
        te.sample(ring, identity(ring), **{"out": "a.npz", **options})
    assert str(error.value).startswith(sentence)
    assert list(place.iterdir()) == []


@pytest.mark.parametrize(
    ("found", "trial", "sentence"),
    [
        (None, "a", "the results of a sweep must be what te.results returns, got None"),
        (b"ring", "a", "the results of a sweep must be what te.results returns, got b'ring'"),
        ("ring", "a", "a model in files is no trial of a sweep; leave out 'a'"),
        ("ring", None, "generator ring cannot be "),
        ("\0", None, "the model must be a path without null characters"),
        ("", None, "the model must name a file or folder"),
    ],
)  # fmt: skip
def test_what_is_neither_results_nor_a_model_is_told(found: Any, trial: Any, sentence: str) -> None:
    for call in (lambda: te.refine(found, trial), lambda: te.sample(found, trial, "a.npz")):
        with pytest.raises(te.UserError) as error:
            call()
        assert str(error.value).startswith(sentence)


@pytest.mark.parametrize("trial", [None, 5, ["a"], b"a", object(), "", "nobody", "a\0", "\ud800"])
def test_what_names_no_trial_is_told(ring: te.Results, trial: Any) -> None:
    for call in (lambda: te.refine(ring, trial), lambda: te.sample(ring, trial, "a.npz")):
        with pytest.raises(te.UserError, match="trial"):
            call()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        *(({"latent": n}, "every number of the latent's shape must be a whole ") for n in ("3", 0, [0], [None], 1.5)),
        *(({"critic": c}, "the critic must be a path") for c in (5, b"c.pt", "c\0")),
        *(({"real": r}, "the real samples must be a path") for r in (5, REAL, [REAL])),
        ({"scores": "odds"}, "generator "),
    ],
)  # fmt: skip
def test_what_is_no_model_in_files_is_told(
    files: dict[str, Path], options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(te.UserError) as error:
        te.refine(files["generator"], **{"critic": files["critic"], "real": files["real"], **options})
    assert str(error.value).startswith(sentence)
