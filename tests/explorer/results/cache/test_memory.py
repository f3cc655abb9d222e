"""Whatever happens to a store, what is remembered of it is what is in it, in this process and in the next."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.results.cache import Memory, memory, shelf
from explorer.results.cache.shelf import Shelf
from explorer.results.store import ResultStore
from tests.explorer.results.changing import SWEEP, Changing
from tests.stores import empty_store


@pytest.fixture
def keeping(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every sweep is kept, however small, in a data folder of its own."""
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(memory, "FEW", 0)
    monkeypatch.setattr(memory, "SAVE_S", -1.0)
    return tmp_path / "home" / "cache"


@pytest.mark.parametrize("seed", range(2))
def test_what_is_remembered_is_what_is_there(keeping: Path, tmp_path: Path, seed: int) -> None:
    uri = empty_store(tmp_path)
    sweep, remembered, done = Changing(uri, seed), Memory(), []
    for _ in range(15):
        done.append(sweep.step())
        fresh = ResultStore(uri, fresh=True).table(SWEEP, known=Memory(fresh=True))
        assert ResultStore(uri).table(SWEEP) == fresh, done
        assert ResultStore(uri).table(SWEEP, known=remembered) == fresh, done
    assert len(list(keeping.iterdir())) == 1


def test_only_what_changed_is_read(keeping: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    uri = empty_store(tmp_path)
    sweep = Changing(uri, 0)
    sweep.tracker.start([(f"{i:012x}", {"seed": i}) for i in range(9)])
    ResultStore(uri).table(SWEEP)
    sweep.tracker.log(f"{4:012x}", 1, {"fid": 0.5})
    read: list[int] = []
    from explorer.store import swift

    plain = swift.runs_of

    def counted(link, rows, whole=True):
        if whole:
            read.append(len(rows))
        return plain(link, rows, whole)

    monkeypatch.setattr(swift, "runs_of", counted)
    table = ResultStore(uri).table(SWEEP)
    assert (read, table.trials[4].metrics) == ([1], {"fid": 0.5})
    assert ResultStore(uri).table(SWEEP) == table
    assert read == [1, 0]
    assert ResultStore(uri, fresh=True).table(SWEEP) == table
    assert read == [1, 0, 9]


def test_a_folder_that_cannot_be_written_is_done_without(
    tmp_path: Path, keeping: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uri = empty_store(tmp_path)
    sweep = Changing(uri, 1)
    sweep.bear()
    keeping.parent.mkdir(exist_ok=True)
    keeping.write_text("no folder")
    assert len(ResultStore(uri).table(SWEEP)) == sweep.born
    monkeypatch.setenv("TRADEOFF_HOME", str(keeping))
    assert len(ResultStore(uri).table(SWEEP)) == sweep.born


def test_few_runs_are_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))
    uri = empty_store(tmp_path)
    Changing(uri, 2).bear()
    ResultStore(uri).table(SWEEP)
    assert not (tmp_path / "home" / "cache").exists()


def test_a_shelf_of_another_store_is_another() -> None:
    one = Shelf("postgresql://me:secret@host/db", "1", "run")
    assert one._name == Shelf("postgresql://me:other@host/db", "1", "run")._name
    assert "secret" not in repr(one._key)
    assert one._name != Shelf("postgresql://me:secret@host/other", "1", "run")._name
    assert shelf.FORMAT
