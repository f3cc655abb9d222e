"""A registered trial tells where it stands, what it is and how it is made again."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.registration import describe, find_trial, register_trial
from explorer.results.store import ResultStore
from explorer.store.connection import Connection
from explorer.store.schema import At
from tests.explorer.tracking.modelled import SWEEP, modelled_store, trial_of


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> ResultStore:
    return ResultStore(modelled_store(tmp_path_factory.mktemp("store")))


def test_a_trial_is_found_by_its_run_or_how_it_begins(store: ResultStore) -> None:
    run = trial_of(store.uri, "aaaa050").run_id
    assert find_trial(store, run) == find_trial(store, "aaaa050") == (SWEEP, "aaaa050")
    assert find_trial(store, "bbbb") == (SWEEP, "bbbb000")
    for name, many in (("aaaa", "6"), ("bb", "none"), ("0" * 32, "none")):
        with pytest.raises(UserError, match=f"which {many} of sqlite"):
            find_trial(store, name)


def test_the_version_says_where_the_trial_stands(store: ResultStore) -> None:
    table = store.table(SWEEP)
    made = register_trial(store, table, trial_of(store.uri, "aaaa100"), "ring", "champion", At("obrs", 2.0))
    known = Connection(store.uri).client.get_model_version("ring", made.version)
    assert known.tags == {
        "tradeoff.sweep": SWEEP,
        "tradeoff.trial": "aaaa100",
        "tradeoff.reading": "obrs/2",
        "tradeoff.rank": known.tags["tradeoff.rank"],
    }
    assert "Trial `aaaa100` of sweep **ring**" in known.description
    assert "at K = 2" in known.description
    assert 'predict({"n": 64, "budget": 2})' in known.description
    with pytest.raises(UserError, match="once its trial is finished, and bbbb000 of sweep 'ring' is running"):
        register_trial(store, table, trial_of(store.uri, "bbbb000"), "ring")


def test_the_description_has_numbers_with_their_intervals(store: ResultStore) -> None:
    table = store.table(SWEEP)
    text = describe(table, trial_of(store.uri, "aaaa100"))
    assert "on the front at K = 1, where 6 of 6 finished trials are on the front" in text
    assert "By means over 2 seeds its configuration is one of the 3 of 3 that are on the front." in text
    precision = next(line for line in text.splitlines() if line.startswith("| Precision"))
    assert precision.startswith("| Precision | 0.8 | 0.1 to 0.95 | 0.81 |")
    assert "λ = `1.0`" in text
    assert len(describe(table, trial_of(store.uri, "aaaa100"), document="x" * 10_000)) <= 5000


def test_a_trial_of_ours_comes_with_the_file_that_repeats_it(store: ResultStore) -> None:
    from dataclasses import replace

    table = store.table(SWEEP)
    named = {"dataset.name": "rings", "model.name": "mlp_gan", "objective.name": "pr"}
    trial = trial_of(store.uri, "aaaa100")
    text = describe(table, replace(trial, params={**trial.params, **named}))
    assert "`tradeoff sweep repeat-aaaa100.yaml`" in text
    assert "name: rings" in text


def test_the_trash_of_names_is_not_written(store: ResultStore, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="a registered model's name"):
        register_trial(store, store.table(SWEEP), trial_of(store.uri, "aaaa050"), "a/b")
