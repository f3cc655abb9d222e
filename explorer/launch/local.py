"""Reading trained trials again on this machine: nothing is scheduled, so nothing of Ray has to start.

Each pack is read by a process of its own, started as a command: unlike ``multiprocessing`` it asks nothing of the
program that calls it, be it a command, a script or a notebook.
"""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from explorer.launch.inbox import Inbox
from explorer.launch.interrupts import Interrupts
from explorer.launch.packing import Orders, Pack
from trainables.faults import reason_of

__all__ = ["main", "read_packs"]

_LOOK_EVERY = 0.2


def read_packs(
    packs: Sequence[Pack],
    orders: Orders,
    settings: dict[str, Any],
    workers: int,
    inbox: Inbox,
    interrupts: Interrupts,
) -> None:
    """Work on packs in ``workers`` processes at a time; one that fails is given up, the others go on.

    There is nothing to save of what is half read: whoever asks to stop is heard at once.
    """
    running: list[subprocess.Popen[str]] = []
    with TemporaryDirectory() as scratch, ThreadPoolExecutor(workers) as threads:
        waiting = {}
        for number, pack in enumerate(packs):
            name = f"read-{number}"
            inbox.begin(name, pack)
            config = json.dumps({"pack": pack.to_json(orders), **settings, "only_read": True})
            waiting[threads.submit(_read, config, Path(scratch) / name, running)] = name
        try:
            for future in _completed(waiting, interrupts):
                found = future.result()
                if isinstance(found, str):
                    inbox.take(waiting[future], {"failed": found})
                    continue
                for result in found:
                    inbox.take(waiting[future], result)
        except BaseException:
            threads.shutdown(wait=False, cancel_futures=True)
            for process in running:
                process.terminate()  # what was not read is read by the next launch
            raise


def _completed(waiting: Mapping[Future[Any], str], interrupts: Interrupts) -> Iterator[Future[Any]]:
    left = set(waiting)
    while left:
        done, left = wait(left, timeout=_LOOK_EVERY, return_when=FIRST_COMPLETED)
        if interrupts.asked:
            raise KeyboardInterrupt
        yield from done


def _read(config: str, target: Path, running: list[subprocess.Popen[str]]) -> list[dict[str, Any]] | str:
    """The results of one pack, or why there are none."""
    command = [sys.executable, "-c", "from explorer.launch.local import main; main()", str(target)]
    # A session of its own: Ctrl-C is for the command, which decides what becomes of its readers.
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    running.append(process)
    _, said = process.communicate(config)
    if not target.exists():
        lines = said.strip().splitlines()
        return f"its reader ended with code {process.returncode}: {lines[-1] if lines else 'no word'}"[:500]
    found: list[dict[str, Any]] | str = pickle.loads(target.read_bytes())
    return found


def main() -> None:
    """A reader: a pack's config from standard input, its results into the file named by the first argument."""
    from explorer.launch.pack_work import PackWork

    target = Path(sys.argv[1])
    found: list[dict[str, Any]] | str
    try:
        work = PackWork(json.load(sys.stdin))
        found = [work.step()]
        while not found[-1]["done"]:
            found.append(work.step())
    except Exception as error:
        found = reason_of(error)
    partial = target.with_suffix(".partial")
    partial.write_bytes(pickle.dumps(found))
    partial.replace(target)
