"""The reference store: computed once, keyed by everything, whole under concurrency, no pickles."""

from __future__ import annotations

import multiprocessing
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
import torch

from trainables.features.store import ReferenceKey, ReferenceStore

KEY = ReferenceKey(data="d", extractor="e", samples=10, part="radii-5")


def test_computed_once(tmp_path):
    calls = []

    def compute():
        calls.append(1)
        return {"radii": torch.arange(3.0), "index": torch.arange(2)}

    store = ReferenceStore(tmp_path / "new")
    first = store.get(KEY, compute)
    second = ReferenceStore(tmp_path / "new").get(KEY, compute)
    assert len(calls) == 1
    assert torch.equal(first["radii"], second["radii"])
    assert second["index"].dtype == torch.int64


@pytest.mark.parametrize(
    "change", [{"data": "x"}, {"extractor": "x"}, {"samples": 11}, {"part": "x"}, {"code": "x"}]
)
def test_every_field_makes_another_file(change, tmp_path):
    store = ReferenceStore(tmp_path)
    assert store.path(KEY) != store.path(replace(KEY, **change))


def test_damaged_and_hostile_files_are_replaced(tmp_path):
    store = ReferenceStore(tmp_path)
    path = store.path(KEY)
    for content in (b"", b"garbage", pickle.dumps({"a": 1})):
        path.write_bytes(content)
        assert float(store.get(KEY, lambda: {"a": torch.tensor(2.0)})["a"]) == 2.0
        assert float(store.get(KEY, lambda: {})["a"]) == 2.0
    np.savez(path, a=np.array([object()], dtype=object))  # holds a pickle: must not be loaded
    assert float(store.get(KEY, lambda: {"a": torch.tensor(3.0)})["a"]) == 3.0


def test_a_failed_computation_leaves_nothing(tmp_path):
    def fail():
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        ReferenceStore(tmp_path).get(KEY, fail)
    assert [file for file in tmp_path.iterdir() if file.suffix != ".lock"] == []


def _write(folder: str, value: float) -> bool:
    for _ in range(20):
        stored = ReferenceStore(folder)
        found = stored._read(stored.path(KEY))
        if found is not None and len(set(found["a"].tolist())) != 1:
            return False  # half of one writer, half of another
        stored._write(stored.path(KEY), {"a": torch.full((50_000,), value)})
    return True


def test_concurrent_writers_leave_whole_files(tmp_path):
    """Of another process, of this one, and of a thread of it."""
    context = multiprocessing.get_context("spawn")  # a fork of a process with threads may hang
    with context.Pool(1) as other, ThreadPoolExecutor(1) as thread:
        assert other.apply(_write, (str(tmp_path), 0.0)), "it has started"
        theirs = other.apply_async(_write, (str(tmp_path), 0.0))
        beside = thread.submit(_write, str(tmp_path), 1.0)
        assert _write(str(tmp_path), 2.0)
        assert beside.result()
        assert theirs.get(timeout=60)
    assert [path.suffix for path in tmp_path.iterdir()] == [".npz"]


def test_whatever_is_damaged_is_made_anew(tmp_path):
    """Every byte that tells how the arrays are packed and called, and some of each array."""
    store, right = ReferenceStore(tmp_path), {"mean": torch.arange(3.0), "covariance": torch.eye(3)}
    store.get(KEY, lambda: right)
    path = store.path(KEY)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    for at in [*range(whole.index(b"PK\x01\x02"), len(whole)), *rng.integers(0, len(whole), 60)]:
        damaged = bytearray(whole)
        damaged[at] ^= int(rng.integers(1, 256))
        path.write_bytes(damaged)
        found = store.get(KEY, lambda: right)
        assert found.keys() == right.keys(), at
        assert all(torch.equal(found[name], right[name]) for name in right), at


def test_a_whole_file_of_other_arrays_is_made_anew(tmp_path):
    store = ReferenceStore(tmp_path)
    np.savez(store.path(KEY), mean=np.zeros(3))
    assert float(store.get(KEY, lambda: {"mean": torch.ones(1)})["mean"]) == 1.0
