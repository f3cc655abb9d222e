"""Commands run on input that is wrong, each in a process of its own, and how they ended.

A command refuses well if it ends with exit code 2 and one short printable sentence, no traceback,
within 2 s of processor time and 600 MB; it may also accept (exit code 0), since some faults leave valid input.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from explorer.errors import LONGEST_SENTENCE

__all__ = ["Ended", "report", "run_forked"]

SENTENCE = LONGEST_SENTENCE + 20
SECONDS = 2.0
MEGABYTES = 600.0
HANG_S = 60


@dataclass(frozen=True)
class Ended:
    """How a run of the command ended: ``seconds`` of processor time, ``clock`` by the clock on the wall."""

    name: str
    code: int
    told: str
    seconds: float
    clock: float
    megabytes: float

    def violation(self) -> str | None:
        """What is wrong with it, if anything."""
        lines = self.told.strip().splitlines()
        if self.code < 0:
            return f"killed by signal {-self.code}"
        if self.code not in (0, 2):
            return f"exit code {self.code}"
        if "Traceback" in self.told:
            return "a traceback"
        if self.seconds > SECONDS:
            return f"{self.seconds:.1f} s"
        if self.megabytes > MEGABYTES:
            return f"{self.megabytes:.0f} MB"
        if self.code == 2 and (len(lines) != 1 or len(lines[0]) > SENTENCE or not lines[0].isprintable()):
            return f"{len(lines)} lines of up to {max(map(len, lines), default=0)} characters"
        return None


def run_forked(name: str, arguments: Sequence[str], folder: Path, cold: bool = False) -> Ended:
    """The command in a child of this process, in ``folder``, measured by the kernel; ``cold`` imports all anew."""
    said = folder / "said.txt"
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        _as_child(arguments, folder, said, cold)
    _, status, used = os.wait4(child, 0)
    clock = time.monotonic() - began
    told = said.read_text(encoding="utf-8", errors="replace")
    seconds = used.ru_utime + used.ru_stime
    return Ended(name, os.waitstatus_to_exitcode(status), told, seconds, clock, used.ru_maxrss / 1024)


def _as_child(arguments: Sequence[str], folder: Path, said: Path, cold: bool) -> None:
    code = 1
    try:
        signal.alarm(HANG_S)
        os.chdir(folder)
        nothing = os.open(os.devnull, os.O_RDWR)
        written = os.open(said, os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
        for descriptor, target in ((0, nothing), (1, nothing), (2, written)):
            os.dup2(target, descriptor)
        if cold:
            code_line = "from explorer.cli import main; main()"
            os.execv(sys.executable, [sys.executable, "-c", code_line, *arguments])
        from explorer.cli import main

        sys.argv = ["tradeoff", *arguments]
        code = 0
        main()
    except SystemExit as ended:
        code = int(ended.code or 0)
    except BaseException:
        code = 1
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def report(what: str, runs: Iterable[Ended]) -> int:
    """Print counts, extremes and every violation; how many there are."""
    ended, wrong = [], 0
    for one in runs:
        ended.append(one)
        if why := one.violation():
            wrong += 1
            last = (one.told.strip().splitlines() or ["nothing said"])[-1]
            print(f"  violation: {one.name}: {why}: {last[:200]!r}", flush=True)
    counts = Counter("accepted" if one.code == 0 else "refused" for one in ended if one.violation() is None)
    print(
        f"{what}: {len(ended)} cases, {counts['refused']} refused well, {counts['accepted']} accepted, "
        f"{wrong} violations; at most {max(one.seconds for one in ended):.2f} s, "
        f"{max(one.clock for one in ended):.2f} s by the clock, "
        f"{max(one.megabytes for one in ended):.0f} MB"
    )
    return wrong
