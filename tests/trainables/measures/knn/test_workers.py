"""Tiles go to as many threads as torch may use, each of them alone, and torch's own threads stay as they were."""

from __future__ import annotations

import gc
import os
import signal
import threading
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from trainables.measures.knn import workers
from trainables.measures.knn.workers import each

CPU = torch.device("cpu")


@pytest.fixture
def three_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("three_threads")
def test_three_items_are_under_way_at_a_time_each_on_one_thread():
    meeting = threading.Barrier(3, timeout=60)

    def action(item: int) -> tuple[int, int]:
        meeting.wait()  # passes only when three have come
        return item * item, torch.get_num_threads()

    assert each(action, range(6), CPU) == [(item * item, 1) for item in range(6)]


@pytest.mark.usefixtures("three_threads")
def test_torch_has_its_threads_afterwards_here_and_in_threads_to_come():
    each(lambda item: item, range(5), CPU)
    found: list[int] = []
    later = threading.Thread(target=lambda: found.append(torch.get_num_threads()))
    later.start()
    later.join()
    assert [torch.get_num_threads(), *found] == [3, 3]


@pytest.mark.usefixtures("three_threads")
@pytest.mark.parametrize("failing", [0, 1, 2])
def test_an_error_is_raised_and_ends_what_has_not_begun(failing):
    """Whichever of the threads it strikes."""
    begun: list[int] = []
    meeting = threading.Barrier(3, timeout=60)

    def action(item: int) -> None:
        begun.append(item)
        if item < 3:
            meeting.wait()
        if item == failing:
            raise ValueError("one tile")
        threading.Event().wait(0.01)

    with pytest.raises(ValueError, match="one tile"):
        each(action, range(1000), CPU)
    each(lambda item: item, range(3), CPU)  # waits for threads that would go on
    assert len(begun) < 100
    assert torch.get_num_threads() == 3


@pytest.mark.usefixtures("three_threads")
def test_an_error_keeps_nothing_that_it_came_from():
    """Panels and tiles go at once, not when garbage is looked for."""

    class Large:
        pass

    held = Large()
    gone = weakref.ref(held)

    def fail(item: int, held: Large) -> None:
        raise ValueError("a tile")

    def run(held: Large) -> None:
        each(lambda item: fail(item, held), range(5), CPU)

    gc.disable()
    try:
        with pytest.raises(ValueError, match="a tile") as error:
            run(held)
        del held, error
        each(lambda item: item, range(3), CPU)  # every thread has let go of what it did before
        assert gone() is None
    finally:
        gc.enable()


@pytest.mark.usefixtures("three_threads")
def test_an_interrupt_ends_what_has_not_begun_and_leaves_the_threads_of_use():
    begun: list[int] = []
    main = threading.main_thread().ident
    assert main is not None

    def action(item: int) -> None:
        begun.append(item)
        if item == 5:
            signal.pthread_kill(main, signal.SIGINT)
        threading.Event().wait(0.01)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever others have put there
    try:
        with pytest.raises(KeyboardInterrupt):
            each(action, range(1000), CPU)
    finally:
        signal.signal(signal.SIGINT, before or signal.default_int_handler)
    assert each(lambda item: -item, range(7), CPU) == [-item for item in range(7)]
    assert len(begun) < 100


@pytest.mark.parametrize(("items", "threads"), [(1, 3), (4, 1)])
def test_one_item_and_one_thread_need_no_others(items, threads):
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        where = each(lambda _: (threading.get_ident(), torch.get_num_threads()), range(items), CPU)
    finally:
        torch.set_num_threads(before)
    assert where == [(threading.get_ident(), threads)] * items


@pytest.mark.usefixtures("three_threads")
def test_threads_are_kept_and_an_action_within_an_action_has_one():
    def inner(item: int) -> list[int]:
        return each(lambda _: threading.get_ident(), range(2), CPU)

    found = {name for names in each(inner, range(9), CPU) for name in names}
    again = set(each(lambda _: threading.get_ident(), range(9), CPU))
    assert threading.get_ident() not in found
    assert len(found | again) <= 3


@pytest.mark.usefixtures("three_threads")
def test_a_fork_has_threads_of_its_own():
    each(lambda item: item, range(5), CPU)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        workers._pool(3, os.getpid()).submit(os.write, writing, b"done").result()
        os._exit(0)
    os.close(writing)
    assert os.read(reading, 4) == b"done"
    os.waitpid(child, 0)


@pytest.mark.usefixtures("three_threads")
@pytest.mark.parametrize(("n", "shares"), [(1, 1), (5, 1), (7, 2), (14, 3), (100, 3)])
def test_shares_are_joined_in_order_and_cut_into_pieces(n, shares):
    seen: list[tuple[int, int]] = []

    def piece(start: int, stop: int) -> torch.Tensor:
        seen.append((start, stop))
        return torch.arange(start, stop)

    assert workers.in_shares(piece, n, 5, CPU).tolist() == list(range(n))
    assert len({start for start, _ in seen}) == len(seen) >= shares
    assert all(stop - start <= 5 for start, stop in seen)


def test_of_all_uses_one_is_the_last():
    left = workers.Countdown({0: 40, 1: 1})
    with ThreadPoolExecutor(4) as pool:
        last = list(pool.map(left.was_last, [0] * 40))
    assert sum(last) == 1
    assert left.was_last(1)


@pytest.mark.usefixtures("three_threads")
@pytest.mark.parametrize("device", [CPU, torch.device("meta")])  # on threads, and one after the other
def test_progress_is_heard_on_the_thread_of_the_caller(device, monkeypatch):
    monkeypatch.setattr(workers, "_TELLING", 0.0)
    heard: list[tuple[float, threading.Thread]] = []
    ready = threading.Event()

    def action(item: int) -> int:
        if item == 5:
            ready.wait(60) if device is CPU else None  # until something was heard
        return item

    def progress(part: float) -> None:
        heard.append((part, threading.current_thread()))
        ready.set()

    assert each(action, range(6), device, progress) == list(range(6))
    parts = [part for part, _ in heard]
    assert parts == sorted(parts)
    assert parts
    assert all(0 <= part <= 1 for part in parts)
    assert {thread for _, thread in heard} == {threading.current_thread()}
