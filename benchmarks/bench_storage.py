"""Checkpoints of a pack in a folder and in an object store on loopback: seconds of a save, of a load, and requests.

    python benchmarks/bench_storage.py [--trials 64] [--repeats 5] [--away 20]

Small MLP GANs of the default model. The store is SeaweedFS, started for this. ``one by one`` is the same store without
requests side by side; ``away`` holds every request up, as a network does. A save is one that drops the save before it.
Medians over ``--repeats``.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch

from explorer.storage import open_files
from explorer.storage.arrow_files import ArrowFiles
from tests.object_store import WRITER, ObjectStore, running_store
from trainables.config import TrialConfig
from trainables.training.checkpoints import CheckpointFolder
from trainables.training.population import Population
from trainables.training.rows import TrialState
from trainables.training.state_files import StateFiles


class OneByOne(ArrowFiles):
    far = False


def one_by_one(address: str) -> StateFiles:
    files = open_files(address)
    assert isinstance(files, ArrowFiles)
    files.__class__ = OneByOne
    return files


def at(states: dict[str, TrialState], iteration: int) -> dict[str, TrialState]:
    return {trial: {**state, "iteration": torch.tensor(iteration)} for trial, state in states.items()}


def measure(files: StateFiles, states: dict[str, TrialState], repeats: int, store: ObjectStore) -> str:
    folder = CheckpointFolder(files)
    folder.save(at(states, 1))
    asked = store.requests
    saves = [seconds(lambda i=i: folder.save(at(states, i))) for i in range(2, 2 + repeats)]
    saving, asked = (store.requests - asked) / repeats, store.requests
    loads = [seconds(lambda: CheckpointFolder(files).newest_states(list(states))) for _ in range(repeats)]
    loading = (store.requests - asked) / repeats
    return (
        f"save {statistics.median(saves):6.3f} s ({saving:4.0f} requests)   "
        f"load {statistics.median(loads):6.3f} s ({loading:4.0f} requests)"
    )


def seconds(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--trials", type=int, default=64)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--away", type=int, default=20, help="milliseconds that a request takes on its way")
    options = parser.parse_args()
    os.environ.update(WRITER, AWS_EC2_METADATA_DISABLED="true")
    state = Population([TrialConfig()]).state(0)
    size = sum(value.numel() * value.element_size() for value in state.values())
    states = {f"{number:012x}": state for number in range(options.trials)}
    print(f"{options.trials} trials of {size / 1e6:.2f} MB each")
    with tempfile.TemporaryDirectory() as scratch, running_store(Path(scratch) / "store") as store:
        kinds = {
            "folder": open_files(f"{scratch}/folder"),
            "s3, one by one": one_by_one(store.address("one-by-one")),
            "s3": open_files(store.address("side-by-side")),
        }
        kinds |= {f"{name}, {options.away} ms away": kinds[name] for name in list(kinds)[1:]}
        for name, files in kinds.items():
            store.gate.delay = options.away / 1000 * ("away" in name)
            print(f"{name:28s} {measure(files, states, options.repeats, store)}", flush=True)


if __name__ == "__main__":
    main()
