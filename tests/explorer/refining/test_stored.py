"""A trial is read anew as its own sweep says, and drawn from the model in its run or refused in one sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from mlflow import MlflowClient

from explorer.errors import UserError
from explorer.refining.stored import WEIGHTS, kept_sampler, reading_sweep
from explorer.results.store import ResultStore
from explorer.results.table import Trial, TrialTable
from explorer.sweep import Sweep
from tests.explorer.refining.stored_trials import FLOW, LAM, RING, TAGS, table_of, trial_of
from tests.stores import empty_store
from trainables.metrics.neighbours import Neighbours
from trainables.models import MODELS
from trainables.refinements.drs import Drs
from trainables.refinements.obrs import Obrs
from trainables.safetensors import Array, read_tensors, tensor_bytes
from trainables.samplers.keeping import CARD

OBRS = {"name": "obrs"}


def gan(uri: str) -> Trial:
    return trial_of(uri, RING, **{"objective.name": "gan"})


def read(uri: str, trial: Trial, *changes: str, sweep: str = RING) -> Sweep:
    return reading_sweep(ResultStore(uri), table_of(uri, sweep), trial, OBRS, {"repeats": 1}, changes)


@pytest.mark.parametrize("sweep", [RING, FLOW])
def test_the_sweep_that_is_read_names_the_same_trial_its_data_and_measures(
    refinable: str, sweep: str
) -> None:
    trial = next(one for one in table_of(refinable, sweep) if one.status == "finished")
    found = read(refinable, trial, sweep=sweep)
    (seed,) = found.seeds
    config = found.trial({}, seed)
    assert config.identity() == trial.id
    assert config.dataset.name == trial.params["dataset.name"] == "gaussians8"
    evaluation = found.plan.evaluation
    assert (evaluation.samples, evaluation.features, evaluation.metrics) == (400, None, None)
    assert found.plan.refinements == (Obrs(),)


def test_evaluation_that_is_asked_for_is_laid_over_the_sweep_and_changes_over_all(refinable: str) -> None:
    store, table, trial = ResultStore(refinable), table_of(refinable, RING), gan(refinable)
    asked = {"samples": 70, "intervals": True}
    changes = ["evaluation.samples=90", "evaluation.metrics=[neighbours]", "evaluation.features=identity"]
    found = reading_sweep(store, table, trial, {"name": "drs"}, asked, changes).plan
    assert (found.evaluation.samples, found.evaluation.intervals) == (90, True)
    assert found.evaluation.metrics == (Neighbours(),)
    assert found.evaluation.chosen() == (Neighbours(),)
    assert found.evaluation.features is not None
    assert found.evaluation.features.name == "identity"
    assert found.refinements == (Drs(),)
    assert reading_sweep(store, table, trial, OBRS, asked).plan.evaluation.samples == 70


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("refinement.rat=1", "unknown key 'refinement.rat': refinement 'obrs' has no 'rat'"),
        ("refinement.name=obr", "'refinement.name' cannot be 'obr'; did you mean 'obrs'"),
        ("dataset.root=/data", "unknown key 'dataset.root': dataset 'gaussians8' has no 'root'"),
        ("evaluation.features=nothing", "'evaluation.features.name' cannot be 'nothing'; it can be"),
        ("samples=3", "unknown key 'samples': a sweep has no 'samples'"),
        ("refinement", "--set takes path=value, got 'refinement'"),
    ],
)
def test_changes_that_name_nothing_are_refused(refinable: str, change: str, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        read(refinable, gan(refinable), change)


def test_a_trial_that_others_made_is_refused(refinable: str) -> None:
    foreign = replace(gan(refinable), params={"learning_rate": 0.1})
    with pytest.raises(UserError, match="was made by others; give its generator and critic as files"):
        read(refinable, foreign)


@pytest.mark.parametrize(
    ("params", "status"), [({LAM: 7.0}, "running"), ({"training.generator_lr": 1e30}, "failed")]
)
def test_a_trial_that_is_not_finished_is_refused(
    refinable: str, params: dict[str, float], status: str
) -> None:
    trial = trial_of(refinable, RING, **params)
    sentence = f"refined once it is finished, and {trial.id} of sweep 'ring' is {status}; choose another"
    with pytest.raises(UserError, match=sentence):
        kept_sampler(ResultStore(refinable), table_of(refinable, RING), trial, "cpu")


def test_networks_come_back_as_they_were_evaluated(refinable: str, tmp_path: Path) -> None:
    store, trial = ResultStore(refinable), gan(refinable)
    sampler = kept_sampler(store, table_of(refinable, RING), trial, "cpu")
    file = store.fetched(trial.run_id, "samples.npz", tmp_path)
    assert file is not None
    with np.load(file) as kept:
        evaluated = kept["none/1"]
    drawn = sampler.draw(len(evaluated), seed=0).samples
    np.testing.assert_allclose(drawn, evaluated, rtol=1e-4, atol=1e-5)


def test_a_plugin_comes_with_the_trial_from_its_run(refinable: str) -> None:
    assert "tagged" not in MODELS
    store, table = ResultStore(refinable), table_of(refinable, TAGS)
    (trial,) = table.trials
    found = read(refinable, trial, sweep=TAGS)
    assert found.trial({}, found.seeds[0]).identity() == trial.id
    sampler = kept_sampler(store, table, trial, "cpu")
    assert (sampler.classes, sampler.shape) == (10, (1, 8, 8))
    assert set(sampler.draw(5, label=3).classes) == {3}  # type: ignore[arg-type]


Stored = Callable[[bytes | None], tuple[ResultStore, TrialTable, Trial]]


@pytest.fixture
def with_model(refinable: str, tmp_path: Path) -> Stored:
    """The same trial in a store of its own, whose run has this file for a model, or none."""
    uri = empty_store(tmp_path / "own")
    client = MlflowClient(uri)
    experiment = client.create_experiment("own", artifact_location=str(tmp_path / "artifacts"))

    def stored(content: bytes | None) -> tuple[ResultStore, TrialTable, Trial]:
        run = client.create_run(experiment).info.run_id
        client.log_text(run, "kept", "beside.txt")
        if content is not None:
            file = tmp_path / Path(WEIGHTS).name
            file.write_bytes(content)
            client.log_artifact(run, str(file), str(Path(WEIGHTS).parent))
        return ResultStore(uri), table_of(refinable, RING), replace(gan(refinable), run_id=run)

    return stored


def test_a_run_whose_model_was_deleted_says_what_to_do(with_model: Stored) -> None:
    store, table, trial = with_model(None)
    with pytest.raises(UserError, match=f"run {trial.run_id} of trial {trial.id} has no model") as refused:
        kept_sampler(store, table, trial, "cpu")
    assert "tracking.models or tracking.largest left it out, or it was deleted" in str(refused.value)
    assert str(refused.value).endswith("reads its trials again and trains nothing")


FIRST = "generator.layers.0.bias"


def without(tensors: dict[str, Array], texts: dict[str, str]) -> bytes:
    return tensor_bytes({name: one for name, one in tensors.items() if name != FIRST}, texts)


def misshapen(tensors: dict[str, Array], texts: dict[str, str]) -> bytes:
    return tensor_bytes({**tensors, FIRST: np.zeros((3, 3), np.float32)}, texts)


def of_no_module(tensors: dict[str, Array], texts: dict[str, str]) -> bytes:
    card = json.loads(texts[CARD])
    card["members"]["model"]["module"] = "no_such_module"
    return tensor_bytes(tensors, {**texts, CARD: json.dumps(card)})


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda tensors, texts: b"", "it must begin with 8 bytes of length, got 0"),
        (lambda tensors, texts: b"<html>not found</html>", "its header is said to have"),
        (lambda tensors, texts: tensor_bytes(tensors, texts)[:-5], "'ratios' does not lie where it says"),
        (lambda tensors, texts: tensor_bytes(tensors, {}), f"it lacks '{CARD}'"),
        (lambda tensors, texts: tensor_bytes(tensors, {**texts, CARD: "["}), "Expecting value"),
        (lambda tensors, texts: tensor_bytes(tensors, {**texts, CARD: "[" * 10**5}), "recursion"),
        (without, f"it lacks '{FIRST}'"),
        (misshapen, "must match the existing size"),
        (of_no_module, "No module named 'no_such_module'"),
    ],
    ids=["empty", "html", "cut", "no card", "half a card", "deep", "less", "misshapen", "no module"],
)
def test_a_damaged_model_is_refused_in_a_sentence(
    refinable: str,
    with_model: Stored,
    tmp_path: Path,
    damage: Callable[[dict[str, Array], dict[str, str]], bytes],
    sentence: str,
) -> None:
    file = ResultStore(refinable).fetched(gan(refinable).run_id, WEIGHTS, tmp_path)
    assert file is not None
    store, table, trial = with_model(damage(*read_tensors(file.read_bytes())))
    with pytest.raises(UserError, match=sentence) as refused:
        kept_sampler(store, table, trial, "cpu")
    assert str(refused.value).startswith(
        f"the model in run {trial.run_id} of trial {trial.id} cannot be loaded"
    )
    assert str(refused.value).endswith("reads its trials again and trains nothing")
