"""Faults put into real sweeps at random moments: what is lost, what is there twice, and what stays stuck.

    python benchmarks/fault_campaign.py [--each 2] [--seed 0] [--searches grid tpe nsga2] [--kinds driver disk …]

Every search has a sweep of its own, which has to bear every kind of fault ``--each`` times: several in one launch, at
moments drawn from ``--seed``, and then launches until it is complete. After each launch the store is read from its
file: a finished trial must be as it was, nothing may be there twice, no process may be left behind and no traceback
shown; in the end every trial is finished, but for those whose loss was made NaN. Where all trials are done before a
fault comes, the sweep is extended.

The data folder is a file system of its own, so that it can be filled: that takes root; else full disks are left out.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.campaign.campaign import SEARCHES, Campaign, Tally
from tests.campaign.faults import KINDS
from tests.campaign.stage import Stage

INSIDE = "TRADEOFF_CAMPAIGN_INSIDE"


def own_view() -> bool:
    """Whether this process may mount; where it may, it goes on in a view of the file systems that ends with it."""
    if os.environ.get(INSIDE):
        return True
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        return False
    os.environ[INSIDE] = "1"
    os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", sys.executable, *sys.argv])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--each", type=int, default=2, help="faults of each kind, for each search")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--searches", nargs="+", choices=SEARCHES, default=list(SEARCHES))
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--trials", type=int, default=6, help="of a sweep at first")
    parser.add_argument("--iterations", type=int, default=600, help="of every trial")
    parser.add_argument(
        "--latest", type=float, default=25.0, help="seconds of a launch in which its first fault comes"
    )
    parser.add_argument("--json", action="store_true", help="print the figures as an object")
    chosen = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *how: sys.exit(143))  # ends what runs on the stage
    own_disk = own_view()
    kinds = [name for name in chosen.kinds if own_disk or name != "disk"]
    say = lambda told: print(told, file=sys.stderr, flush=True)  # noqa: E731
    tallies: dict[str, Tally] = {}
    began = time.monotonic()
    with TemporaryDirectory(dir="/tmp") as folder:  # short, since Ray puts sockets into it
        for search in chosen.searches:
            stage = Stage(Path(folder) / search, own_disk)
            dice = random.Random(f"{chosen.seed} {search}")
            try:
                faults = kinds * chosen.each
                sizes = (chosen.iterations, chosen.trials, chosen.latest)
                campaign = Campaign(stage, search, faults, dice, say, *sizes)
                tallies[search] = campaign.run()
            finally:
                stage.close()
    struck = sum((tally.struck for tally in tallies.values()), Counter())
    wrong = [fault for tally in tallies.values() for fault in tally.wrong]
    if chosen.json:
        figures = {search: {**vars(tally), "struck": dict(tally.struck)} for search, tally in tallies.items()}
        print(json.dumps({"faults": struck.total(), "wrong": wrong, "searches": figures}))
    else:
        print(f"{'fault':32s}" + "".join(f"{search:>8s}" for search in tallies))
        for name in kinds:
            print(f"{KINDS[name].words:32s}" + "".join(f"{t.struck[name]:8d}" for t in tallies.values()))
        for what in ("launches", "trials", "finished", "diverged", "outside"):
            print(f"{what:32s}" + "".join(f"{getattr(t, what):8d}" for t in tallies.values()))
        took = (time.monotonic() - began) / 60
        print(f"{struck.total()} faults, seed {chosen.seed}, {took:.0f} min: {len(wrong)} promises broken")
        for fault in wrong:
            print(f"  {fault}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
