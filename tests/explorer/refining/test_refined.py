"""What is found of a refined model as plain values and as a table, whatever its numbers are."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from explorer.errors import UserError
from explorer.refining.foretold import Foretold
from explorer.refining.refined import Refined, refined
from tests.explorer.refining.known_subject import normal_subject, read
from tests.trainables.samplers.known_model import Known
from trainables.refinements.dgflow import DGFlow
from trainables.refinements.hard_truncation import HardTruncation
from trainables.refinements.obrs import Obrs

DOCS = Path(__file__).parents[3] / "docs" / "refinement.md"


@pytest.fixture(scope="module")
def found() -> Refined:
    return read(normal_subject(judged=True), seed=7)


def promised() -> dict[str, str]:
    """Keys of ``--json`` and what the documentation says of each."""
    table = DOCS.read_text(encoding="utf-8").partition("| key of `--json` |")[2].partition("\n\n")[0]
    told: dict[str, str] = {}
    for row in table.splitlines()[2:]:
        keys, value = row.strip("| ").split(" | ")
        told |= dict.fromkeys(re.findall(r"`(\w+)`", keys), value)
    return told


def strict(document: dict[str, Any]) -> dict[str, Any]:
    """Through JSON and back, which takes no NaN."""
    back: dict[str, Any] = json.loads(json.dumps(document, allow_nan=False))
    return back


def test_the_document_has_the_keys_that_are_promised(found: Refined) -> None:
    document, told = found.document(), promised()
    assert strict(document) == document
    assert set(document) == set(told)
    assert set(document["settings"]) == set(re.findall(r"`(\w+)`", told["settings"]))
    assert set(document["ratio"]) == set(re.findall(r'"(\w+)"', told["ratio"]))
    assert list(document["budgets"]) == ["1", "1.5", "4"]
    for reading in document["budgets"].values():
        assert set(reading) == set(re.findall(r"`([a-z]+)`", told["budgets"]))
    assert "verdict" in document["reliability"]
    assert "bins" in document["reliability"]
    assert "histogram" in document["reliability"]


def test_the_document_says_what_was_refined_and_how(found: Refined) -> None:
    document = found.document()
    told = {key: document[key] for key in ("model", "sweep", "trial", "run", "method", "fields", "ratio")}
    assert told == {
        "model": "trial 0123456789ab of sweep known",
        "sweep": "known",
        "trial": "0123456789ab",
        "run": "f" * 32,
        "method": "obrs",
        "fields": {},
        "ratio": {"source": "critic", "calibration": "slope"},
    }
    settings = {"samples": 300, "seed": 7, "k": 3, "features": "identity", "tuned_on": 1 << 14}
    assert document["settings"] == settings
    assert document["predicted_from"] == "the law of the data"
    for budget, one in zip(("1", "1.5", "4"), found.readings, strict=True):
        reading, ledger = document["budgets"][budget], one.ledger
        assert reading["acceptance"] == reading["ledger"]["samples"] / reading["ledger"]["draws"]
        assert reading["ledger"] == ledger.plain()
        assert reading["metrics"] == {
            k: v for k, v in one.metrics.items() if not k.endswith((".low", ".high"))
        }
        low, high = reading["intervals"]["precision"]
        assert low == one.metrics["precision.low"] <= reading["metrics"]["precision"] <= high


def test_a_model_of_files_has_no_trial_and_truncation_no_ratio() -> None:
    subject = replace(normal_subject(HardTruncation(budgets=(2,))), run="", trial="", sweep="")
    document = strict(read(subject).document())
    assert set(promised()) - set(document) == {"sweep", "trial", "run"}
    assert document["ratio"] is document["reliability"] is document["predicted_from"] is None
    assert document["settings"]["tuned_on"] == 0
    assert document["budgets"]["2"]["predicted"] == document["budgets"]["2"]["gap"] == {}
    assert set(document["budgets"]) == {"1", "2"}, "the model as it is comes along"


def test_fields_are_those_that_differ_from_their_defaults() -> None:
    method = DGFlow(budgets=(2,), rate=0.02)
    assert read(normal_subject(method)).document()["fields"] == {"rate": 0.02}


def test_the_gap_is_what_was_measured_less_what_was_foretold(found: Refined) -> None:
    document, seen = found.document(), 0
    for reading in document["budgets"].values():
        assert set(reading["gap"]) == set(reading["predicted"]) == {"precision", "recall"}
        for name, gap in reading["gap"].items():
            assert gap == pytest.approx(reading["metrics"][name] - reading["predicted"][name], abs=1e-12)
            seen += gap != 0
    assert seen >= 3
    assert document["budgets"]["1"]["gap"] == pytest.approx({"precision": 0, "recall": 0}, abs=0.01)


def spoilt(found: Refined, change: Callable[[dict[str, float]], dict[str, float]]) -> Refined:
    """Its last reading with other metrics."""
    last = found.readings[-1]
    return replace(found, readings=[*found.readings[:-1], replace(last, metrics=change(dict(last.metrics)))])


@pytest.mark.parametrize("value", [nan, inf, -inf])
def test_metrics_that_are_no_numbers_are_null(found: Refined, value: float) -> None:
    changes = {"precision": value, "recall.low": value, "fid": value}
    document = strict(spoilt(found, lambda metrics: metrics | changes).document())
    reading = document["budgets"]["4"]
    assert reading["metrics"]["precision"] is reading["metrics"]["fid"] is reading["gap"]["precision"] is None
    assert reading["gap"]["recall"] is not None
    assert reading["predicted"]["precision"] is not None


def test_a_metric_that_was_not_found_at_a_budget_has_no_gap(found: Refined) -> None:
    def without(metrics: dict[str, float]) -> dict[str, float]:
        return {name: value for name, value in metrics.items() if name != "precision"}

    reading = strict(spoilt(found, without).document())["budgets"]["4"]
    assert "precision" not in reading["metrics"]
    assert set(reading["gap"]) == {"recall"}


def test_as_a_table_it_has_a_row_for_each_budget(found: Refined) -> None:
    frame = found.to_pandas()
    assert frame.index.name == "budget"
    assert frame.index.tolist() == [1.0, 1.5, 4.0]
    costs = ["acceptance", "draws", "scores", "gradients", "seconds"]
    foretold = ["predicted.precision", "predicted.recall"]
    assert list(frame.columns) == [*found.readings[0].metrics, *foretold, *costs]
    assert {"precision", "precision.low", "precision.high", "recall", "fid"} <= set(frame.columns)
    assert frame["precision"].tolist()[-1] == found.readings[-1].metrics["precision"]
    assert found.foretold is not None
    assert frame["predicted.recall"].tolist()[-1] == found.foretold.at(4.0)["recall"]
    assert frame["draws"].tolist() == [one.ledger.draws / 300 for one in found.readings]
    assert (frame["scores"].tolist()[0], frame["gradients"].sum()) == (0, 0)
    plain = replace(found, foretold=None).to_pandas()
    assert list(plain.columns) == [*found.readings[0].metrics, *costs]
    partly = replace(found, foretold=Foretold("x", {4.0: {"recall": 0.5}})).to_pandas()
    assert partly["predicted.recall"].isna().tolist() == [True, True, False]


def diverged(x: Tensor) -> Tensor:
    return nan * x.sum(-1)


def hopeless(x: Tensor) -> Tensor:
    return torch.full(x.shape[:-1], -inf)


@pytest.mark.parametrize(
    ("ratio", "said"),
    [
        (
            diverged,
            "the log ratio must be a number at every draw, got NaN at 16,384 of 16,384; the critic diverged",
        ),
        (
            hopeless,
            "the ratio is 0 at all 16,384 draws: every budget rejects everything; the critic holds all",
        ),
    ],
)
def test_what_the_model_is_to_blame_for_names_the_trial(ratio: Callable[[Tensor], Tensor], said: str) -> None:
    subject = replace(normal_subject(), model=Known(numbers=2, ratio=ratio))
    with pytest.raises(UserError) as refusal:
        refined(subject)
    assert str(refusal.value).startswith(f"trial 0123456789ab of sweep known cannot be refined: {said}")


def test_who_waits_hears_what_is_done() -> None:
    heard: list[str] = []
    refined(normal_subject(Obrs(budgets=(1, 1.5))), stage=heard.append)
    assert heard[0] == "obrs: K = 1, 300 of 300 samples"
    assert heard[1] == "obrs: constants"
    assert heard[-1] == "obrs: K = 1.5, 300 of 300 samples"


def test_equal_seeds_give_equal_documents() -> None:
    one, other, third = (read(normal_subject(), seed).document() for seed in (1, 1, 2))
    for document in (one, other, third):
        for reading in document["budgets"].values():
            del reading["ledger"]["seconds"], reading["ledger"]["per_sample"]["seconds"]
    assert one == other
    assert one["budgets"]["4"]["metrics"] != third["budgets"]["4"]["metrics"]
