"""A run by what people call it, read from the file and through MLflow alike."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from explorer.errors import UserError
from explorer.results import lookup
from explorer.results.lookup import Found, find_run
from explorer.results.store import ResultStore
from explorer.tracking import Tracker
from tests.stores import empty_store

IDENTITIES = ("abcd01", "abcd02", "ffff03", 'we\'ird "one"')


@pytest.fixture(scope="module")
def uri(tmp_path_factory: pytest.TempPathFactory) -> str:
    uri = empty_store(tmp_path_factory.mktemp("store"))
    for experiment in ("one", "two"):
        tracker = Tracker(uri, experiment)
        tracker.open_sweep(f"sweep {experiment}", {"fid": "min"}, "", "", "{}")
        mine = IDENTITIES if experiment == "one" else IDENTITIES[2:3]
        tracker.start([(identity, {}) for identity in mine])
    return uri


@pytest.fixture(params=["file", "mlflow"])
def store(request: pytest.FixtureRequest, uri: str, monkeypatch: pytest.MonkeyPatch) -> ResultStore:
    """The same store read both ways."""
    if request.param == "mlflow":
        asked = lookup._asked

        def through_mlflow(store: ResultStore, word: str) -> Iterable[Found]:
            return asked(store, word)

        monkeypatch.setattr(lookup, "_candidates", through_mlflow)
    return ResultStore(uri)


def test_a_trial_is_found_by_its_identity_how_it_begins_its_sweep_its_run_and_its_name(
    store: ResultStore,
) -> None:
    run = find_run(store, "abcd01")
    assert (run.sweep, run.trial, run.kind, run.name) == ("sweep one", "abcd01", "trial", "abcd01")
    for word in (run.run_id, run.run_id[:10], "sweep one/abcd01", " abcd01 "):
        assert find_run(store, word) == run
    assert find_run(store, "sweep two/ff").experiment_id != run.experiment_id


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("abcd", "2 are called 'abcd' (sweep one/abcd01, sweep one/abcd02)"),
        ("ffff03", "2 are called 'ffff03' (sweep one/ffff03, sweep two/ffff03)"),
        ("abc", "no run is called 'abc'"),
        ("sweep one", "'sweep one' is a sweep, and trials are compared"),
        ("sweep one/", "no run is called"),
        ("sweep two/abcd01", "no run is called"),
        ("%", "no run is called '%'"),
        ("' or 1 = 1 --", "no run is called"),
        ("", "a run is named by its id"),
        ("a\nb", "a run is named by its id"),
    ],
)
def test_none_and_several_are_refused(store: ResultStore, word: str, sentence: str) -> None:
    with pytest.raises(UserError) as refused:
        find_run(store, word)
    assert sentence in str(refused.value)


def test_a_name_with_every_kind_of_quotes_is_found_in_a_file(uri: str) -> None:
    assert find_run(ResultStore(uri), IDENTITIES[-1]).trial == IDENTITIES[-1]


def test_an_experiment_narrows_it_down(uri: str) -> None:
    assert find_run(ResultStore(uri, "two"), "ffff03").sweep == "sweep two"
    with pytest.raises(UserError, match="no run is called"):
        find_run(ResultStore(uri, "nobody's"), "ffff03")
