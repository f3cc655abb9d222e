"""Files that are damaged, foreign, half-written or too many cost nothing but what was kept in them."""

from __future__ import annotations

import os
import pickle
import random
import time
from pathlib import Path

import numpy as np
import pytest

from explorer.results.cache import shelf
from explorer.results.cache.shelf import Shelf
from explorer.results.known import Known
from explorer.results.table import Trial
from explorer.store.schema import PLAIN

RUNS = [
    Known(
        Trial(f"{i:03x}", f"run{i}", "finished", {"lam": i / 3}, {PLAIN: {"fid": i / 7}}),
        4,
        f"file:///{i}",
        "t",
    )
    for i in range(50)
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path))
    return tmp_path / "cache"


def kept(folder: Path) -> Path:
    (file,) = folder.glob("*.npz")
    return file


def test_what_is_kept_is_found(folder: Path) -> None:
    place = Shelf("http://host", "1", "parent")
    assert place.load() is None
    assert place.save(RUNS, {"seen": [1, 2]})
    assert place.load() == (RUNS, {"seen": [1, 2]})
    assert Shelf("http://host", "2", "parent").load() is None
    assert place.save(RUNS[:3], {})
    assert place.load() == (RUNS[:3], {})
    assert kept(folder).stat().st_mode & 0o077 == 0, "nobody else reads it"
    place.forget()
    assert place.load() is None


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_file_is_none_or_is_whole(folder: Path, seed: int) -> None:
    rng, place = random.Random(seed), Shelf("http://host", "1", "parent")
    place.save(RUNS, {})
    content = bytearray(kept(folder).read_bytes())
    if seed % 2:
        del content[rng.randrange(len(content)) :]
    else:
        for _ in range(1 + seed // 4):
            content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    kept(folder).write_bytes(content)
    found = place.load()
    assert found is None or found == (RUNS, {})
    assert place.save(RUNS, {})
    assert place.load() == (RUNS, {})


def test_a_file_of_another_sweep_or_version_counts_for_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, other = Shelf("http://host", "1", "a"), Shelf("http://host", "1", "b")
    place.save(RUNS, {})
    content = kept(folder).read_bytes()
    (folder / f"{other._name}.npz").write_bytes(content)
    assert other.load() is None
    monkeypatch.setattr(shelf, "_version", lambda: ["another"])
    assert place.load() is None


def test_nothing_is_unpickled(folder: Path, tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "sprung"),)

    place = Shelf("http://host", "1", "a")
    place.save(RUNS, {})
    with kept(folder).open("wb") as file:
        np.savez(file, document=np.array([Trap()], dtype=object))
    assert place.load() is None
    kept(folder).write_bytes(pickle.dumps(Trap()))
    assert place.load() is None
    assert not (tmp_path / "sprung").exists()


def test_what_was_not_looked_at_for_longest_goes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = [Shelf("http://host", "1", str(i)) for i in range(4)]
    for age, place in zip((40, 30, 20), places, strict=False):
        place.save(RUNS, {})
        then = time.time() - age
        os.utime(folder / f"{place._name}.npz", (then, then))
    assert places[0].load() is not None, "and was looked at again just now"
    (folder / "dead.making").touch()
    os.utime(folder / "dead.making", (0, 0))
    (folder / "of-others.txt").touch()
    size = kept_size(folder, places[0])
    monkeypatch.setattr(shelf, "MOST_BYTES", 3 * size + size // 2)
    places[3].save(RUNS, {})
    assert [place.load() is not None for place in places] == [True, False, True, True]
    assert not (folder / "dead.making").exists()
    assert (folder / "of-others.txt").exists()


def kept_size(folder: Path, place: Shelf) -> int:
    return (folder / f"{place._name}.npz").stat().st_size
