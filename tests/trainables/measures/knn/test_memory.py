"""Large arrays are mapped: they begin at a page and leave nothing behind; small ones are given back when asked."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest
import torch

from trainables.measures.knn import memory
from trainables.measures.knn.memory import Scratch, give_back, mapped, room

CPU = torch.device("cpu")
MEGABYTE = 1 << 20


def held() -> int:
    resident = Path("/proc/self/statm").read_text().split()[1]
    return int(resident) * os.sysconf("SC_PAGE_SIZE")


def test_room_is_of_its_size_at_a_page_and_writable():
    flat = room(12345, CPU)
    assert flat.dtype == torch.float32
    assert flat.shape == (12345,)
    assert flat.data_ptr() % 4096 == 0
    flat.fill_(2.0)
    assert float(flat.sum()) == 2 * 12345
    assert room(0, CPU).shape == (0,)
    masks = mapped((2, 77), np.bool_)
    assert masks.shape == (2, 77)
    masks[:] = True
    assert masks.sum() == 154


def test_views_keep_the_room_and_the_last_one_gives_it_back():
    flat = room(64 * MEGABYTE, CPU).fill_(1.0)
    part = flat[5:10].view(5, 1)
    with_it = held()
    del flat
    assert part.flatten().tolist() == [1.0] * 5
    del part
    assert held() < with_it - 200 * MEGABYTE


def test_scratch_is_kept_by_its_thread_grows_and_goes():
    scratch = Scratch()
    flat = scratch.floats(100, CPU)
    assert (flat.shape, flat.dtype) == ((100,), torch.float32)
    assert scratch.floats(40, CPU).data_ptr() == flat.data_ptr()
    wide = scratch.doubles(50)
    assert (wide.shape, wide.dtype) == ((50,), np.float64)
    assert wide.ctypes.data == flat.data_ptr()
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(scratch.floats, 40, CPU).result().data_ptr() != flat.data_ptr()
    before = held()
    del flat, wide
    scratch.floats(64 * MEGABYTE, CPU).fill_(1.0)
    assert held() > before + 200 * MEGABYTE
    del scratch
    assert held() < before + 20 * MEGABYTE


@pytest.mark.skipif(memory._trim() is None, reason="not glibc")
def test_what_threads_have_freed_is_given_back():
    """Blocks that are freed between others that are kept stay in the allocator of their thread until it is trimmed."""
    met = Barrier(3)

    def leave(_: int) -> list[np.ndarray]:
        met.wait(60)
        blocks = [np.ones(1 << 13) for _ in range(1 << 9)]  # 32 MB in blocks that are not mapped one by one
        return blocks[::16]

    with ThreadPoolExecutor(3) as pool:
        kept = list(pool.map(leave, range(3)))
        before = held()
        give_back()
        assert held() < before - 16 * MEGABYTE
    assert all(float(block.sum()) == 1 << 13 for blocks in kept for block in blocks)
