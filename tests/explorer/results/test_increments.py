"""A sweep behind MLflow's search: what is known after any number of looks is what a whole reading finds."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from explorer.results import increments
from explorer.results.increments import Seen, news, whole
from explorer.results.known import Known
from explorer.results.store import ResultStore
from explorer.store import schema
from explorer.store.connection import Connection
from explorer.store.pages import Pages
from explorer.store.runs import StoredRun
from tests.explorer.results.changing import SWEEP, Changing
from tests.explorer.tracking.conftest import server  # noqa: F401  (a fixture)
from tests.stores import empty_store


class Looks:
    """A sweep of a SQLite store that is looked at through MLflow's client, as other databases are."""

    def __init__(self, uri: str) -> None:
        self.uri, self.link = uri, Connection(uri)
        self.known: Mapping[str, Known] = {}
        self.seen: Seen | None = None

    @property
    def parent(self) -> StoredRun:
        (parent,) = ResultStore(self.uri).runs("sweep", ())
        return parent

    def pages(self) -> Pages:
        parent = self.parent
        return Pages(self.link, parent.experiment_id, {schema.PARENT: parent.run_id})

    def look(self) -> dict[str, Known]:
        self.known, self.seen = news(self.pages(), self.parent, self.known, self.seen)
        return dict(self.known)

    def all(self) -> dict[str, Known]:
        return whole(self.pages(), self.parent)[0]


@pytest.mark.parametrize("seed", range(2))
def test_news_are_what_changed(tmp_path: Path, seed: int) -> None:
    uri = empty_store(tmp_path)
    sweep, looks, done = Changing(uri, seed), Looks(uri), []
    for _ in range(20):
        done.append(sweep.step(without=("tag",)))
        assert list(looks.look().items()) == list(looks.all().items()), done


def test_only_news_are_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    uri = empty_store(tmp_path)
    sweep, looks = Changing(uri, 0), Looks(uri)
    trials = [(f"{i:012x}", {"seed": i}) for i in range(8)]
    sweep.tracker.start(trials)
    for trial, _ in trials:
        sweep.tracker.finish(trial)
        time.sleep(0.002)
    looks.look()
    sweep.tracker.start([("f" * 12, {"seed": 9})])
    asked: list[str] = []
    plain = Pages._page

    def counted(self, *all_, **more):
        page = plain(self, *all_, **more)
        asked.extend(run.tags[schema.TRIAL] for run in page.runs)
        return page

    monkeypatch.setattr(Pages, "_page", counted)
    before = dict(looks.known)
    assert len(looks.look()) == 9
    assert set(asked) <= {"f" * 12, *(trial for trial, _ in trials[-3:])}, "what is old is not asked for"
    assert all(looks.known[run] is one for run, one in before.items()), "what is the same stays the same"


def test_what_was_set_by_hand_is_seen_once_what_is_known_expires(tmp_path: Path) -> None:
    uri = empty_store(tmp_path)
    sweep, looks = Changing(uri, 0), Looks(uri)
    for trial in ("a" * 12, "b" * 12):
        sweep.tracker.start([(trial, {"seed": 0})])
        sweep.tracker.finish(trial)
        time.sleep(0.002)
    first = next(iter(looks.look()))
    looks.link.client.set_tag(first, schema.REASON, "by hand")
    assert looks.look()[first].trial.reason is None
    assert looks.seen is not None
    looks.seen = Seen(**{**vars(looks.seen), "moment": time.time() - increments.EXPIRES_S})
    assert looks.look()[first].trial.reason == "by hand"


def test_a_run_whose_clock_was_late_is_missed_by_its_time_and_found_by_the_count(tmp_path: Path) -> None:
    uri = empty_store(tmp_path)
    sweep, looks = Changing(uri, 0), Looks(uri)
    sweep.tracker.start([("a" * 12, {"seed": 0})])
    looks.look()
    tags = {schema.KIND: "trial", schema.SWEEP: SWEEP, schema.TRIAL: "b" * 12, schema.LAYOUT: "2"}
    parent = looks.parent
    tags |= {schema.PARENT: parent.run_id}
    run = looks.link.client.create_run(parent.experiment_id, start_time=1000, tags=tags).info.run_id
    looks.link.client.set_terminated(run, "FINISHED", 2000)
    assert {one.trial.id for one in looks.look().values()} == {"a" * 12, "b" * 12}


@pytest.mark.parametrize("which", range(3))
def test_a_run_that_was_purged_between_two_looks_is_gone(tmp_path: Path, which: int) -> None:
    uri = empty_store(tmp_path)
    sweep, looks = Changing(uri, 0), Looks(uri)
    for trial in ("a" * 12, "b" * 12, "c" * 12):
        sweep.tracker.start([(trial, {"seed": 0})])
        sweep.tracker.finish(trial)
        time.sleep(0.002)
    run = list(looks.look())[which]
    looks.link.client.delete_run(run)
    purge(uri, run)
    assert len(looks.look()) == 2
    assert looks.known == looks.all()


def purge(uri: str, run: str) -> None:
    """What ``mlflow gc`` does to a run in the trash."""
    from mlflow.tracking._tracking_service.utils import _get_store

    _get_store(uri)._hard_delete_run(run)  # type: ignore[no-untyped-call]


def test_a_server_that_has_page_tokens_of_its_own_is_asked_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uri = empty_store(tmp_path)
    sweep, looks = Changing(uri, 0), Looks(uri)
    for trial in ("a" * 12, "b" * 12, "c" * 12):
        sweep.tracker.start([(trial, {"seed": 0})])
        time.sleep(0.002)
    monkeypatch.setattr(
        "mlflow.utils.search_utils.SearchUtils.create_page_token", lambda offset: b"others' words"
    )
    looks.look()
    sweep.tracker.finish("b" * 12)
    assert looks.look() == looks.all()


def test_a_server_is_read_in_spans_and_then_for_its_news(
    server: int,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("explorer.results.cache.memory.FEW", 0)
    monkeypatch.setattr("explorer.results.cache.memory.SAVE_S", -1.0)
    monkeypatch.setattr("explorer.store.pages.SIZE", 3)
    uri = f"http://127.0.0.1:{server}"
    sweep = Changing(uri, 5)
    for _ in range(5):
        sweep.bear()
    done = []
    for _ in range(8):
        done.append(sweep.step(without=("tag",)))
        by_client = ByClient(uri).table(SWEEP)
        assert ResultStore(uri, fresh=True).table(SWEEP) == by_client, done
        assert ResultStore(uri).table(SWEEP) == by_client, done
    assert len(by_client) >= 10


class ByClient(ResultStore):
    """The store as MLflow's own client reads it."""

    def _learn(self, parent: StoredRun, memory: object) -> bool:
        return False
