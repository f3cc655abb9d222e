"""Versions in MLflow's registry: made once a run, found by alias, refused in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.models import model_files
from explorer.store.connection import Connection
from explorer.tracking.registry import check_names, register
from tests.explorer.tracking.modelled import modelled_store, trial_of
from tests.trainables.samplers.trained import trained


@pytest.fixture(scope="module")
def uri(tmp_path_factory: pytest.TempPathFactory) -> str:
    return modelled_store(tmp_path_factory.mktemp("store"), model_files(trained("points").file))


def test_a_run_is_registered_once_under_a_name(uri: str) -> None:
    run = trial_of(uri, "aaaa050").run_id
    first = register(uri, run, "once", None, "before", {"a": "1"})
    again = register(uri, run, "once", "champion", "after", {"a": "2"})
    other = register(uri, trial_of(uri, "aaaa100").run_id, "once", "champion", "", {})
    assert (first.version, first.made, again.version, again.made) == ("1", True, "1", False)
    assert (other.version, other.made) == ("2", True)
    client = Connection(uri).client
    known = client.get_model_version("once", "1")
    assert (known.description, known.tags["a"], known.run_id) == ("after", "2", run)
    # MLflow's page of a run compares this with the place of the model to tell that it is registered.
    assert known.source == f"{Connection(uri).run(run).artifact_uri}/model"
    assert client.get_model_version_by_alias("once", "champion").run_id == trial_of(uri, "aaaa100").run_id
    assert register(uri, run, "another", None, "", {}).version == "1"


def test_what_was_registered_is_loaded_by_its_alias(uri: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import mlflow

    register(uri, trial_of(uri, "aaaa050").run_id, "loaded", "best", "x" * 9000, {})
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri(uri)
    try:
        model = mlflow.pyfunc.load_model("models:/loaded@best")
        assert model.predict({"n": 5, "budget": 2}).shape == (5, 2)
    finally:
        mlflow.set_tracking_uri(before)
    assert len(Connection(uri).client.get_model_version("loaded", "1").description) == 5000


def test_a_run_without_a_model_and_one_that_is_none_are_told(uri: str) -> None:
    with pytest.raises(UserError, match="must hold a model to be registered, and has none"):
        register(uri, trial_of(uri, "aaaa051").run_id, "none", None, "", {})
    with pytest.raises(UserError, match="0000"):
        register(uri, "0000", "none", None, "", {})
    assert not Connection(uri).client.search_registered_models("name = 'none'")


@pytest.mark.parametrize("name", ["", " ", "a/b", "a:b", "a\nb", "x" * 257])
def test_names_that_mlflow_would_not_take_are_told(name: str) -> None:
    with pytest.raises(UserError, match="a registered model's name is at most 256"):
        check_names(name, None)


@pytest.mark.parametrize("alias", ["", "latest", "v12", "a b", "x" * 256])
def test_aliases_that_mlflow_would_not_take_are_told(alias: str) -> None:
    with pytest.raises(UserError, match="an alias is letters, digits"):
        check_names("ring", alias)
    check_names("ring", "champion")


def test_a_store_without_a_registry_is_told(
    uri: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run = trial_of(uri, "aaaa050").run_id
    monkeypatch.setenv("MLFLOW_REGISTRY_URI", "nothing://here")
    with pytest.raises(UserError, match=r"cannot be registered in sqlite.*name a store with a registry"):
        register(uri, run, "elsewhere", None, "", {})
