"""Small sets are held, large ones are read from files, unless the user decides."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.trainables.datasets.made_sets import make_folder
from trainables.sources import held
from trainables.sources.held import fits, free_memory, source_of_files
from trainables.sources.image_folder import read_folder


@pytest.mark.parametrize(
    ("size", "free", "expected"),
    [
        (100, 200, True),
        (101, 200, False),
        (8 << 30, 1 << 40, True),
        ((8 << 30) + 1, 1 << 40, False),
        (8 << 30, None, True),
        ((8 << 30) + 1, None, False),
    ],
)
def test_what_fits(size: int, free: int | None, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held, "free_memory", lambda: free)
    assert fits(size) is expected


def test_auto_goes_by_the_size_of_both_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = read_folder(make_folder(tmp_path, (), each=8), (), 4, False, 0.5)
    room = 8 * 3 * 4 * 4
    monkeypatch.setattr(held, "fits", lambda size: size <= room)
    assert not source_of_files(*parts, None, "auto").streamed
    assert source_of_files(*parts, None, "stream").streamed
    monkeypatch.setattr(held, "fits", lambda size: size < room)
    assert source_of_files(*parts, None, "auto").streamed
    assert not source_of_files(*parts, None, "memory").streamed


def test_free_memory_is_the_least_that_machine_and_container_leave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held, "_CGROUP", tmp_path)
    monkeypatch.setattr(held, "_MEMINFO", tmp_path / "meminfo")
    (tmp_path / "meminfo").write_text("MemTotal:  9 kB\nMemAvailable:    7 kB\n")
    assert free_memory() == 7 * 1024
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text("100\n")
    assert free_memory() == 7 * 1024
    (tmp_path / "memory.max").write_text("1100\n")
    assert free_memory() == 1000
    (tmp_path / "meminfo").write_text("nothing of the kind")
    assert free_memory() == 1000
