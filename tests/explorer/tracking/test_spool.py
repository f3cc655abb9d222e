"""The spool: a queue that outlives its process, whole or not at all, and keeps equal contents once."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from explorer.tracking.entries import Entry, Files, Finish, Log
from explorer.tracking.spool import Kept, Owner, Spool, Waiting, waiting


def entry(number: int, trial: str = "a") -> Entry:
    return Entry(trial, 1000 + number, Log(number, {"fid": float(number)}))


def test_what_is_put_comes_out_in_its_order_until_it_is_dropped(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "spool")
    spool.put([entry(i) for i in range(5)])
    first = spool.first(3)
    assert [one.entry for one in first] == [entry(0), entry(1), entry(2)]
    assert [one.entry for one in spool.first(2, but=[first[0].number])] == [entry(1), entry(2)]
    spool.drop(one.number for one in first)
    assert [one.entry for one in spool.first(9)] == [entry(3), entry(4)]
    assert len(spool) == 2


def test_a_later_process_finds_it_and_an_empty_one_leaves_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "spool"
    spool = Spool(folder)
    spool.put([entry(1)])
    spool.put_files("a", 5, {"model/x.bin": b"xyz", "y.bin": b"xyz"})
    spool.close()
    assert waiting(folder) == Waiting(2, None)
    again = Spool(folder)
    kept = again.first(9)
    files = kept[1].entry.what
    assert isinstance(files, Files)
    assert set(files.files) == {"model/x.bin", "y.bin"}
    assert len(list((folder / "contents").iterdir())) == 1, "equal contents are kept once"
    again.drop(one.number for one in kept)
    again.close()
    assert not folder.exists()
    assert waiting(folder) is None


def test_a_queue_says_whose_it_is(tmp_path: Path) -> None:
    spool = Spool(tmp_path, Owner("demo", "http://before", "tests"))
    spool.put([entry(1)])
    assert waiting(tmp_path) is None, "it is open"
    spool.close()
    Spool(tmp_path, Owner("demo", "http://now", "tests")).close()
    assert waiting(tmp_path) == Waiting(1, Owner("demo", "http://now", "tests"))
    with sqlite3.connect(tmp_path / "entries.db") as link:
        link.execute("DROP TABLE owner")  # of an earlier version
    link.close()
    assert waiting(tmp_path) == Waiting(1, None)


def test_entries_are_dated_anew(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    spool.put([entry(1), entry(2), entry(3)])
    first, _, third = spool.first(9)
    spool.date([first.number, third.number], 7)
    assert [one.entry.at for one in spool.first(9)] == [7, 1002, 7]


def test_a_content_stays_while_another_entry_names_it(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    spool.put_files("a", 1, {"x": b"same"})
    spool.put_files("b", 2, {"x": b"same"})
    first, second = spool.first(9)
    spool.drop([first.number])
    assert isinstance(second.entry.what, Files)
    assert spool.content(second.entry.what.files["x"]).read_bytes() == b"same"
    spool.drop([second.number])
    assert list((tmp_path / "contents").iterdir()) == []


class Queues(RuleBasedStateMachine):
    """The spool against a list, closed and opened again at any moment."""

    def __init__(self) -> None:
        super().__init__()
        from tempfile import mkdtemp

        self.folder = Path(mkdtemp())
        self.spool = Spool(self.folder)
        self.told: list[Entry] = []
        self.number = 0

    @rule(count=st.integers(1, 4))
    def put(self, count: int) -> None:
        news = [entry(self.number + i, "ab"[i % 2]) for i in range(count)]
        self.number += count
        self.spool.put(news)
        self.told += news

    @rule(content=st.binary(max_size=3))
    def files(self, content: bytes) -> None:
        self.number += 1
        self.spool.put_files("c", self.number, {"f": content})
        self.told.append(Entry("c", self.number, self._kept()[-1].entry.what))

    @precondition(lambda self: self.told)
    @rule(data=st.data())
    def drop(self, data: st.DataObject) -> None:
        gone = data.draw(st.sets(st.integers(0, len(self.told) - 1)))
        kept = self._kept()
        self.spool.drop(kept[i].number for i in gone)
        self.told = [one for i, one in enumerate(self.told) if i not in gone]

    @rule()
    def reopen(self) -> None:
        self.spool.close()
        self.spool = Spool(self.folder)

    @invariant()
    def same(self) -> None:
        assert [one.entry for one in self._kept()] == self.told
        named = {d for one in self.told if isinstance(one.what, Files) for d in one.what.files.values()}
        assert {file.name for file in (self.folder / "contents").iterdir()} == named

    def _kept(self) -> list[Kept]:
        return self.spool.first(10**6)


TestQueues = Queues.TestCase
TestQueues.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)

KILLED = """
import sys
from pathlib import Path
from explorer.tracking.entries import Entry, Log
from explorer.tracking.spool import Spool
spool = Spool(Path(sys.argv[1]))
for step in range(10**6):
    spool.put([Entry("a", step, Log(2 * step, {"fid": 1.0})), Entry("a", step, Log(2 * step + 1, {"fid": 2.0}))])
    spool.put_files("a", step, {"x": bytes([step % 251]) * 1000})
    print(step, flush=True)
"""


def test_a_killed_process_leaves_all_that_it_had_told(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        said = [int(writer.stdout.readline()) for _ in range(40)]
        os.kill(writer.pid, signal.SIGKILL)
        said += [int(line) for line in writer.stdout if line.endswith("\n")]
    spool = Spool(tmp_path)
    kept = [one.entry for one in spool.first(10**6)]
    steps = [one.what.step for one in kept if isinstance(one.what, Log)]
    assert steps == list(range(len(steps)))
    assert len(steps) % 2 == 0, "a put is there whole or not at all"
    assert len(steps) >= 2 * (said[-1] + 1)
    for one in kept:
        if isinstance(one.what, Files):
            assert all(spool.content(digest).is_file() for digest in one.what.files.values())


def test_a_file_that_is_no_queue_is_put_aside(tmp_path: Path) -> None:
    (tmp_path / "entries.db").write_text("no database, but some text that is long enough to be one" * 9)
    spool = Spool(tmp_path)
    assert spool.aside == tmp_path / "entries.db.damaged"
    spool.put([entry(1)])
    spool.close()
    (tmp_path / "entries.db").write_text("again " * 99)
    assert Spool(tmp_path).aside == tmp_path / "entries.db.damaged.1"


def test_one_that_is_damaged_in_its_middle_is_put_aside(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    spool.put([entry(i) for i in range(2000)])
    spool.close()
    file = tmp_path / "entries.db"
    content = bytearray(file.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 4096] = b"\xff" * 4096
    file.write_bytes(content)
    again = Spool(tmp_path)
    assert again.aside == tmp_path / "entries.db.damaged"
    assert len(again) == 0
    again.close()


def test_a_row_of_another_version_is_dropped(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    spool.put([entry(1), Entry("a", 2, Finish())])
    spool.close()
    with sqlite3.connect(tmp_path / "entries.db") as link:
        link.execute("UPDATE entries SET kind = 'dance' WHERE kind = 'log'")
    link.close()
    again = Spool(tmp_path)
    assert [one.entry for one in again.first(9)] == [Entry("a", 2, Finish())]
    assert len(again) == 1


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="Linux has a folder in which nobody can write")
def test_a_place_that_cannot_be_written_is_an_error_of_the_system() -> None:
    with pytest.raises(OSError, match="spool"):
        Spool(Path("/proc/self/spool"))
