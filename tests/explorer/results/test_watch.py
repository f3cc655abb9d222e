"""A sweep looked at again and again: the same table while nothing happens, and only what changed when it does."""

from __future__ import annotations

import math
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from mlflow.entities import Metric

from explorer.errors import UserError
from explorer.results.store import ResultStore
from explorer.results.watch import Watch, renewed
from explorer.store.connection import Connection
from explorer.tracking import Tracker
from tests.stores import empty_store


@pytest.fixture
def begun(tmp_path: Path) -> tuple[str, Tracker]:
    uri = empty_store(tmp_path)
    tracker = Tracker(uri, "tests")
    tracker.open_sweep("s", {"fid": "min", "recall": "max"}, "", "name: s", '{"metrics": []}')
    tracker.start([(name, {"seed": seed}) for seed, name in enumerate("abc")])
    tracker.log("a", 9, {"fid": 1.5, "recall": 0.5})
    tracker.finish("a")
    return uri, tracker


def watch_of(uri: str) -> Watch:
    store = ResultStore(uri)
    return Watch(store, store.sweeps()[0])


def test_an_unchanged_store_gives_the_very_table(begun: tuple[str, Tracker], monkeypatch) -> None:
    uri, _ = begun
    watch = watch_of(uri)
    table = watch.look()
    assert table == ResultStore(uri).table("s")
    monkeypatch.setattr(ResultStore, "table", lambda *_: pytest.fail("nothing happened, and it was read"))
    assert watch.look() is table
    assert watch.look() is table


def test_news_of_another_sweep_are_none(begun: tuple[str, Tracker]) -> None:
    uri, _ = begun
    watch = watch_of(uri)
    table = watch.look()
    Tracker(uri, "tests").open_sweep("other", {"fid": "min"}, "", "name: other", '{"metrics": []}')
    assert watch.look() is table


def test_only_what_changed_is_made_anew(begun: tuple[str, Tracker]) -> None:
    uri, tracker = begun
    watch = watch_of(uri)
    before = watch.look()
    tracker.log("b", 5, {"fid": 3.0})
    after = watch.look()
    assert [a is b for a, b in zip(before, after, strict=True)] == [True, False, True]
    assert after.trials[1].metrics == {"fid": 3.0}
    tracker.start([("d", {"seed": 9})])
    grown = watch.look()
    assert [trial.id for trial in grown] == ["a", "b", "c", "d"]
    assert grown.trials[:3] == after.trials
    tracker.fail("c", "out of memory")
    assert watch.look().trials[2].reason == "out of memory"
    assert watch.look() == ResultStore(uri).table("s")


def test_a_store_that_was_put_in_its_place_is_another(begun: tuple[str, Tracker], tmp_path: Path) -> None:
    uri, tracker = begun
    watch = watch_of(uri)
    before = watch.look()
    copy = shutil.copy(tmp_path / "mlflow.db", tmp_path / "copy.db")
    tracker.log("b", 5, {"fid": 3.0})
    assert watch.look() != before
    Path(copy).replace(tmp_path / "mlflow.db")
    assert watch.look() == before
    (tmp_path / "mlflow.db").unlink()
    with pytest.raises(UserError, match="there is none"):
        watch.look()


def test_a_table_is_renewed_where_it_differs(begun: tuple[str, Tracker]) -> None:
    uri, _ = begun
    one, two = (ResultStore(uri).table("s") for _ in range(2))
    assert renewed(one, None) is one
    assert renewed(two, one) is one
    other = renewed(replace(two, description="new"), one)
    assert other.description == "new"
    assert all(a is b for a, b in zip(other, one, strict=True))
    fewer = renewed(replace(two, trials=two.trials[1:]), one)
    assert [trial.id for trial in fewer] == ["b", "c"]


def test_an_infinite_value_swallows_no_news(begun: tuple[str, Tracker]) -> None:
    uri, _ = begun
    watch, client = watch_of(uri), Connection(uri).client
    run = watch.look().trials[1].run_id

    def log(*values: tuple[str, float, int]) -> None:
        client.log_batch(run, [Metric(key, value, time, 5) for key, value, time in values])

    log(("critic_loss", math.inf, 10**13), ("precision", 0.625, 10**12))
    assert watch.look().trials[1].metrics == {"precision": 0.625}
    log(("precision", 0.875, 10**12 + 1))
    assert watch.look().trials[1].metrics == {"precision": 0.875}
    log(("precision", 0.9, 10**12 + 1))  # of the same moment the greater counts
    assert watch.look().trials[1].metrics == {"precision": 0.9}
