"""A disk that is full, for one process."""

from __future__ import annotations

import multiprocessing
import resource
from collections.abc import Callable
from multiprocessing.connection import Connection as Pipe

from explorer.errors import UserError

__all__ = ["on_a_full_disk"]


def on_a_full_disk(work: Callable[[], None], room: int) -> str:
    """What ``work`` is refused with in a process whose files cannot grow beyond ``room`` bytes; empty if it is not."""

    def child(say: Pipe) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
        try:
            work()
        except UserError as error:
            say.send(str(error))
        else:
            say.send("")

    processes = multiprocessing.get_context("fork")
    hear, say = processes.Pipe()
    process = processes.Process(target=child, args=(say,))
    process.start()
    say.close()
    told = str(hear.recv())
    process.join()
    return told
