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
    assert list(scores.columns) == ["value", "low", "high", "interval"]
    assert {"precision", "recall", "prd.f8"} <= set(scores.index)
    assert (scores["low"] <= scores["high"]).all()


def test_the_classifier_is_the_one_of_the_command() -> None:
    found = te.measure(REAL, FAKE, "classifier", classifier="knn").values
    assert found["settings"]["classifier"] == {"learner": "knn"}
    default = te.measure(REAL, FAKE, "classifier").values
    assert default["settings"]["classifier"] == {"learner": "ensemble"}
    assert default["classifier"] != found["classifier"]


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


NO_OPTIONS: list[tuple[dict[str, Any], str]] = [
    *(({"k": k}, "k must be a whole number from 1 ") for k in ("5", None, [5], np.array(3), True, 0)),
    *(({"seed": s}, "the seed must be a whole number from 0 ") for s in (None, "0", 1.5, True, [1], -1)),
    *(({"device": d}, "the device must be text, got ") for d in (None, 5, b"cpu", ["cpu"])),
    ({"device": torch.device("meta")}, "the device must be auto, cpu, cuda or cuda:N, got 'meta'"),
    *(
        ({"metrics": m}, "metrics must be names such as precision, ")
        for m in (5, [5], [None], b"fid", object(), np.array("fid"))
    ),
    *(
        ({"features": f}, "features must be the name of an extractor ")
        for f in (5, b"x", ["inception"], object())
    ),
    *(({"classifier": c}, "the classifier must be text, got ") for c in (None, 5, b"mlp", ["mlp"])),
    ({"classifier": "svm"}, "classifier must be one of ensemble, logistic, mlp, knn, got 'svm'"),
    ({"stage": None}, "stage must be a function that takes a text, got None"),
]


@pytest.mark.parametrize(("options", "sentence"), NO_OPTIONS)
def test_options_that_are_none_are_told(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(te.UserError) as error:
        te.measure(REAL, FAKE, **options)
    assert str(error.value).startswith(sentence)


@pytest.mark.parametrize(
    ("samples", "sentence"),
    [
        (torch.complex(*torch.ones(2, 50, 2)).conj(), "must hold real numbers, got complex64"),
        (torch.ones(50, 2).to_sparse(), "must be arrays of numbers or a path, but "),
        (torch.ones(50, 2, device="meta"), "must be arrays of numbers or a path, but "),
        ([[torch.ones(2, requires_grad=True)]], "must be arrays of numbers or a path, but "),
        ({"x" * 70_000: REAL}, "must be printable and of at most 200 characters, got 'xxx"),
        ({"features\0": REAL}, "every name of the "),
        ({10**5000: REAL}, "every name of the "),
        ({"a\tb": REAL}, "must be printable and of at most 200 characters, got "),
        (np.ma.array(REAL, mask=REAL > 2), "entries are masked; drop those samples, or fill them"),
        (
            {"features": REAL, "labels": np.ma.array(LABELS, mask=LABELS == 0)},
            "40 of their entries are masked",
        ),
        ([np.ma.array([1.0, 2.0], mask=[True, False])] * 50, "1 of their entries are masked"),
        (None, "must be arrays of numbers or a path, but "),
        (object(), "must be arrays of numbers or a path, but "),
        ("a\0b", "must be a path without null characters"),
    ],
)
def test_samples_that_are_none_are_told(samples: Any, sentence: str) -> None:
    for both in ((samples, FAKE), (REAL, samples)):
        with pytest.raises(te.UserError) as error:
            te.measure(*both, "precision")
        assert sentence in str(error.value)


def test_whatever_holds_the_numbers_gives_the_same_scores() -> None:
    real, fake = REAL.astype(np.float32), FAKE.astype(np.float32)
    plain = te.measure(real, fake, "precision", seed=1).values["precision"]
    tracked = torch.from_numpy(real).requires_grad_()
    for given in (
        tracked,
        list(tracked),
        np.ma.array(real),
        np.ma.array(real, mask=np.zeros_like(real, bool)),
    ):
        assert te.measure(given, fake, "precision", seed=1).values["precision"] == plain
    options: dict[str, Any] = {"k": np.int32(5), "seed": np.int64(1), "device": torch.device("cpu")}
    for metrics in (("precision",), np.array(["precision"]), iter(["precision"])):
        assert te.measure(real, fake, metrics, **options).values["precision"] == plain
    assert (
        te.measure(real, fake, "precision", seed=1, device=torch.device("cpu:0")).values["precision"] == plain
    )


def test_bfloat16_is_read_as_float32() -> None:
    coarse = torch.from_numpy(REAL).bfloat16()
    found, same = (te.measure(real, FAKE, "precision").values for real in (coarse, coarse.float()))
    assert found["precision"] == same["precision"]


@pytest.mark.parametrize(
    "law", [None, 5, "abc", b"ab", [[0.5], [0.5]], object(), ["a"], [1j], np.eye(2), [None]]
)
def test_what_is_no_law_is_told(law: Any) -> None:
    with pytest.raises(te.UserError, match="real must be a "):
        te.compare(law, [0.5, 0.5])
    with pytest.raises(te.UserError, match="model must be a "):
        te.compare([0.5, 0.5], law)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        *(
            ({"lambdas": lambdas}, "lambdas must be a list of numbers, got ")
            for lambdas in (5, "1,2", object())
        ),
        *(
            ({"lambdas": lambdas}, "every number of lambdas must be a number, got ")
            for lambdas in (["x"], [None])
        ),
        *(({"budget": budget}, "budget K must be a number, got ") for budget in (None, "2", [2], 10**400)),
        ({"budget": 0.5}, "budget K must be ≥ 1, got 0.5"),
    ],
)
def test_trade_offs_and_budgets_that_are_none_are_told(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(te.UserError) as error:
        te.compare([0.5, 0.5], [0.5, 0.5], **options)
    assert str(error.value).startswith(sentence)


def test_laws_are_lists_of_any_library() -> None:
    plain = te.compare([0.5, 0.5], [0.25, 0.75])
    for law in (
        torch.tensor([0.5, 0.5], requires_grad=True),
        np.array([0.5, 0.5], np.float32),
        iter([0.5, 0.5]),
    ):
        assert te.compare(law, (0.25, 0.75)) == plain
