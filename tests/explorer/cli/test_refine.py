"""``tradeoff refine`` on trials that were trained: what it prints where, what it stores, and what it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from explorer.results.table import Trial
from explorer.store.schema import At
from tests.explorer.cli.running import ran, refusal
from tests.explorer.refining.own_store import copied, held
from tests.explorer.refining.stored_trials import FLOW, LAM, RING, stored, table_of, trial_of
from trainables.refinements import REFINEMENTS
from trainables.refinements.budgeted import Budgeted

METHODS = {name: kind for name, kind in REFINEMENTS.loaded().items() if issubclass(kind, Budgeted)}


@pytest.fixture(scope="module")
def uri(tmp_path_factory: pytest.TempPathFactory) -> str:
    return copied(stored(), tmp_path_factory.mktemp("store"))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))


def finished(uri: str, objective: str) -> Trial:
    (found,) = (
        trial
        for trial in table_of(uri, RING)
        if trial.status == "finished" and trial.params["objective.name"] == objective
    )
    return found


def identity(uri: str, objective: str) -> str:
    return finished(uri, objective).id


def refined(uri: str, *arguments: object) -> dict[str, Any]:
    """The one JSON object on standard output."""
    code, out, err = ran("refine", *arguments, "--tracking-uri", uri, "--no-log", "--json")
    assert (code, err) == (0, "")
    found: dict[str, Any] = json.loads(out)
    return found


def timeless(value: Any) -> Any:
    """The same without seconds."""
    if isinstance(value, dict):
        return {key: timeless(inner) for key, inner in value.items() if key != "seconds"}
    return value


def test_a_trial_is_meant_by_its_run_its_identity_and_its_sweep(uri: str) -> None:
    trial = finished(uri, "gan")
    by_run = refined(uri, trial.run_id, "--budgets", "2")
    assert (by_run["run"], by_run["trial"], by_run["sweep"]) == (trial.run_id, trial.id, RING)
    for named in ((trial.id,), (trial.id[:6],), (RING, trial.id), (RING, trial.id[:5])):
        assert timeless(refined(uri, *named, "--budgets", "2")) == timeless(by_run)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_tells_what_it_bought_and_what_it_cost(uri: str, method: str) -> None:
    found = refined(uri, identity(uri, "gan"), "--method", method, "--budgets", "1,2.5")
    assert (found["method"], list(found["budgets"])) == (method, ["1", "2.5"])
    plain, bought = found["budgets"].values()
    assert list(plain["metrics"]) == list(bought["metrics"])
    assert set(plain) == {"metrics", "intervals", "acceptance", "predicted", "gap", "ledger"}
    assert {key: plain["ledger"][key] for key in ("samples", "draws", "scores", "gradients")} == {
        "samples": 400,
        "draws": 400,
        "scores": 0,
        "gradients": 0,
    }
    assert bought["ledger"]["samples"] == 400
    assert bought["ledger"]["per_sample"]["calls"] <= 2.3 * 2.5  # what is chosen at random is so up to chance
    assert (bought["predicted"] != {}) == (method == "obrs")
    for name, value in bought["predicted"].items():
        assert bought["gap"][name] == bought["metrics"][name] - value
    assert (found["ratio"] is None) == (not METHODS[method].scored)


def test_the_model_as_it_is_is_there_without_being_asked_for(uri: str) -> None:
    found = refined(uri, identity(uri, "pr"), "--method", "mh", "--budgets", "3,2,3")
    assert list(found["budgets"]) == ["1", "2", "3"]
    assert found["budgets"]["3"]["acceptance"] == pytest.approx(1 / 3)
    again = refined(uri, identity(uri, "pr"), "--method", "drs", "--budgets", "1")
    assert list(again["budgets"]) == ["1"]
    assert timeless(again["budgets"]["1"]["metrics"]) == timeless(found["budgets"]["1"]["metrics"])


def test_the_table_has_metrics_what_was_foretold_and_calls(uri: str) -> None:
    code, out, err = ran("refine", identity(uri, "pr"), "--budgets", "1,2", "--tracking-uri", uri, "--no-log")
    assert (code, err) == (0, "")
    lines = [line.strip() for line in out.splitlines()]
    assert re.fullmatch("K = 1 +K = 2", lines[0])
    heads = [" ".join(line.split()[:-2]) for line in lines]
    for title in ("Precision", "Recall", "FID", "calls of G", "calls of D", "gradients", "ms a sample"):
        assert title in heads
    assert lines[heads.index("Precision") + 1].split()[0] == "foretold"
    assert next(line for line in lines if line.startswith("calls of D")).split()[3] == "0"
    assert lines[-1].endswith("; obrs")
    assert out.count("foretold") == 2  # precision and recall; nothing is foretold of FID


def test_what_is_found_goes_to_the_run_and_is_told_on_standard_error_alone(uri: str) -> None:
    trial = finished(uri, "pr")
    code, out, err = ran(
        "refine", trial.id, "--method", "mh", "--budgets", "2,4", "--tracking-uri", uri, "--json"
    )
    assert (code, err) == (0, f"logged to run {trial.run_id}: refined-mh.json; 2 readings\n")
    found = json.loads(out)
    assert json.loads(held(uri)[1][f"{trial.run_id}/artifacts/refined-mh.json"]) == found
    now = finished(uri, "pr")
    for budget in (2, 4):
        reading = now.at(At("mh", budget))
        assert reading["fid"] == found["budgets"][str(budget)]["metrics"]["fid"]
        assert reading["draws"] == budget


def test_without_log_the_store_stays_as_it_is(uri: str) -> None:
    before = held(uri)
    refined(uri, identity(uri, "gan"), "--method", "drs", "--budgets", "2")
    assert held(uri) == before


def test_a_page_is_written_beside_what_is_printed(uri: str, tmp_path: Path) -> None:
    page = tmp_path / "bought.html"
    named = (identity(uri, "gan"), "--budgets", "2", "--tracking-uri", uri, "--no-log")
    code, out, err = ran("refine", *named, "--html", page, "--json")
    assert (code, err) == (0, f"page written to {page}\n")
    assert json.loads(out)["method"] == "obrs"
    text = page.read_text()
    assert f"What a sampling budget buys: trial {named[0]} of sweep {RING}" in text
    assert "K = 2" in text


def test_fields_are_set_and_told(uri: str) -> None:
    asked = (identity(uri, "gan"), "--method", "dot", "--budgets", "2")
    usual = refined(uri, *asked)
    changed = refined(uri, *asked, "--set", "refinement.rate=0.001", "--set", "evaluation.k=4")
    assert (usual["fields"], changed["fields"]) == ({}, {"rate": 0.001})
    assert (usual["settings"]["k"], changed["settings"]["k"]) == (3, 4)
    assert changed["budgets"]["2"]["metrics"]["fid"] != usual["budgets"]["2"]["metrics"]["fid"]


def test_samples_and_seeds_are_those_that_are_asked_for(uri: str) -> None:
    asked = (identity(uri, "gan"), "--method", "mh", "--budgets", "2", "--samples", "50")
    first, same, other = (refined(uri, *asked, "--seed", seed) for seed in (3, 3, 4))
    assert timeless(first) == timeless(same)
    assert first["budgets"]["2"]["metrics"] != other["budgets"]["2"]["metrics"]
    assert first["budgets"]["2"]["ledger"]["samples"] == first["settings"]["samples"] == 50


def test_a_critic_that_does_not_know_the_ratio_is_taken_with_a_calibration_by_name(uri: str) -> None:
    for objective in ("hinge", "naive_pr", "tv"):
        sentence = refusal("refine", identity(uri, objective), "--tracking-uri", uri)
        assert f"trained with objective '{objective}', whose best critic does not determine" in sentence
        assert sentence.endswith("--calibration isotonic, or to the samples by --ratio classifier")
    found = refined(uri, identity(uri, "hinge"), "--calibration", "isotonic", "--budgets", "2")
    assert found["ratio"] == {"source": "critic", "calibration": "isotonic"}


def test_a_flow_is_refined_by_its_density(uri: str) -> None:
    flow = table_of(uri, FLOW).trials[0].id
    found = refined(uri, flow, "--ratio", "density", "--budgets", "2")
    assert found["ratio"] == {"source": "density", "calibration": "none"}
    assert "where the model has one, and this one has none" in refusal(
        "refine", identity(uri, "gan"), "--ratio", "density", "--tracking-uri", uri
    )


REFUSED: list[tuple[tuple[object, ...], str]] = [
    *((("--budgets", b), f"budget K must be ≥ 1, got {t}; use K=1 to") for b, t in (("0.5", 0.5), ("4,-1", -1))),
    (("--budgets", "nan"), "budget K must be ≥ 1, got nan"),
    (("--budgets", "two"), "budgets must be numbers with commas, such as 1,2,4,8, got 'two'"),
    (("--budgets", ""), "budgets must be numbers with commas, such as 1,2,4,8, got ''"),
    (("--method", "obsr"), "cannot be 'obsr'; did you mean 'obrs'?"),
    (("--method", "none"), "and 'none' does neither; read it by a sweep"),
    (("--calibration", "isotnic"), "the calibration cannot be 'isotnic'; did you mean 'isotonic'?"),
    (("--ratio", "critics"), "the ratio cannot be 'critics'; did you mean 'critic'?"),
    (("--samples", 0), "samples must be a whole number from 1 "),
    (("--samples", 2), "evaluation.samples must exceed the neighbours"),
    (("--seed", -1), "the seed must be a whole number from 0 "),
    (("--seed", 2**62), "the seed must lie in [0, 2^62)"),
    (("--device", "gpu"), "the device must be auto, cpu, cuda or cuda:N, got 'gpu'"),
    (("--set", "refinement.rte=1"), "unknown key 'refinement.rte'"),
    (("--set", "model.latent=9"), "of a trained model refinement, evaluation and dataset can be set, got 'model.l"),
    (("--set", "refinement.budgets=[9]"), "refinement.budgets is given by the method and the budgets"),
    (("--html", "nowhere/page.html"), "the page cannot be written to 'nowhere/page.html': there is no folder"),
    (("--html", "."), "the page must be a file, but '.' is a folder"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "sentence"), REFUSED)
def test_a_wish_that_cannot_be_met_is_one_sentence(
    uri: str, options: tuple[object, ...], sentence: str
) -> None:
    before = held(uri)
    assert sentence in refusal("refine", identity(uri, "gan"), *options, "--tracking-uri", uri)
    assert held(uri) == before


def test_trials_that_are_not_there_or_not_finished_are_one_sentence(uri: str) -> None:
    running = trial_of(uri, RING, **{LAM: 7})
    (failed,) = (trial for trial in table_of(uri, RING) if trial.status == "failed")
    for trial in (running, failed):
        for named in ((trial.run_id,), (RING, trial.id)):
            sentence = refusal("refine", *named, "--tracking-uri", uri)
            assert sentence == (
                f"a trial is refined once it is finished, and {trial.id} of sweep 'ring' is {trial.status}; "
                "choose another, or let it finish"
            )
    for name in ("nobody", "0" * 32, ""):
        assert f"got '{name}', which none of" in refusal("refine", name, "--tracking-uri", uri)
    assert "which none of 8 trials do" in refusal("refine", RING, "nobody", "--tracking-uri", uri)
    assert refusal("refine", "rng", failed.id, "--tracking-uri", uri).startswith("no sweep 'rng' in ")
