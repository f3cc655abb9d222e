"""Mangled sweep files and options through ``tradeoff sweep --dry-run``: how many are refused well, and which are not.

A case is refused well if it ends with exit code 2 and one printable sentence of at most 300 characters, no traceback,
within 2 s of processor time and 600 MB; it may also be accepted (exit code 0), since some faults leave a valid file.
Each case runs the whole command in a process forked after the imports, which are reported by themselves.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.explorer.mangled_sweeps import mangled_sweeps

SENTENCE = 300
SECONDS = 2.0
MEGABYTES = 600.0
HANG_S = 60


@dataclass(frozen=True)
class Ended:
    """How a run of the command ended."""

    name: str
    code: int
    told: str
    seconds: float
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


def run_forked(name: str, arguments: Sequence[str], folder: Path) -> Ended:
    """The command in a child of this process, in ``folder``, measured by the kernel."""
    said = folder / "said.txt"
    child = os.fork()
    if child == 0:
        _as_child(arguments, folder, said)
    _, status, used = os.wait4(child, 0)
    told = said.read_text(encoding="utf-8", errors="replace")
    return Ended(
        name, os.waitstatus_to_exitcode(status), told, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    )


def _as_child(arguments: Sequence[str], folder: Path, said: Path) -> None:
    from explorer.cli import main

    signal.alarm(HANG_S)
    os.chdir(folder)
    with (
        said.open("w", encoding="utf-8", errors="backslashreplace") as stderr,
        Path(os.devnull).open("w") as stdout,
    ):
        sys.stderr, sys.stdout, sys.argv = stderr, stdout, ["tradeoff", *arguments]
        code = 0
        try:
            main()
        except SystemExit as ended:
            code = int(ended.code or 0)
        except BaseException:
            traceback.print_exc(file=stderr)
            code = 1
    os._exit(code)


def report(what: str, runs: Iterable[Ended]) -> int:
    """Print counts, extremes and every violation; how many there are."""
    ended = list(runs)
    wrong = [(one, why) for one in ended if (why := one.violation())]
    for one, why in wrong:
        last = (one.told.strip().splitlines() or ["nothing said"])[-1]
        print(f"  violation: {one.name}: {why}: {last[:200]!r}")
    counts = Counter("accepted" if one.code == 0 else "refused" for one in ended if one.violation() is None)
    print(
        f"{what}: {len(ended)} cases, {counts['refused']} refused well, {counts['accepted']} accepted, "
        f"{len(wrong)} violations; at most {max(one.seconds for one in ended):.2f} s, "
        f"{max(one.megabytes for one in ended):.0f} MB"
    )
    return len(wrong)


def sweeps(seed: int, count: int) -> Iterable[Ended]:
    """The cases of a seed, each with a file of its own."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        os.environ["TRADEOFF_HOME"] = str(folder / "home")
        for case in mangled_sweeps(seed, count):
            (folder / "mangled.yaml").write_bytes(case.file)
            yield run_forked(case.name, ["sweep", "mangled.yaml", "--dry-run", *case.options], folder)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    os.environ.pop("MLFLOW_TRACKING_URI", None)
    started = time.process_time()
    from explorer.launch.earlier import Earlier
    from explorer.launch.plan import make_plan
    from explorer.sweep import load_sweep

    make_plan(load_sweep("demo"), Earlier())
    print(f"imports: {time.process_time() - started:.1f} s, not counted below")
    return min(1, report(f"tradeoff sweep, seed {chosen.seed}", sweeps(chosen.seed, chosen.cases)))


if __name__ == "__main__":
    sys.exit(main())
