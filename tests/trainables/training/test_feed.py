"""Training on files that are read ahead is training on images in memory, bit for bit, and leaves no process behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from tests.trainables.datasets.made_sets import make_folder
from tests.trainables.training.trials import trial
from trainables.config import TrainingConfig, TrialConfig
from trainables.datasets.folder import Folder
from trainables.models import Model
from trainables.models.mlp_gan import MlpGan
from trainables.models.nice import Nice
from trainables.objectives.pr import PR
from trainables.randomness import Stream
from trainables.sources.source import Request
from trainables.training.feed import Feed, asked
from trainables.training.population import Population
from trainables.training.rows import TrialState

GAN = MlpGan(generator=(8,), critic=(8,))
FLOW = Nice(critic=(8,), couplings=2, width=8)
FIRST = 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_folder(tmp_path_factory.mktemp("images"), ("cats", "dogs"), each=20)


def config(folder: Path, held: str, model: Model = GAN, workers: int = 0, seed: int = 0) -> TrialConfig:
    dataset = Folder(root=str(folder), size=4, held=held, held_out=0.25, workers=workers)  # type: ignore[arg-type]
    objective = PR(warmup=1 if model.has_density else None)
    return trial(model, objective, dataset=dataset, seed=seed, batch_size=5, critic_first=FIRST)


def assert_same(found: list[TrialState], expected: list[TrialState]) -> None:
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.keys() == theirs.keys()
        for name in theirs:
            assert torch.equal(ours[name], theirs[name]), name


def test_an_iteration_asks_for_a_batch_a_critic_step_and_for_one_of_the_likelihood() -> None:
    training = TrainingConfig(batch_size=7, critic_steps=2, critic_first=3)
    real = [Request(Stream.REAL, 6, 7), Request(Stream.REAL, 7, 7)]
    assert asked(training, density=False, iteration=3) == real
    assert asked(training, density=True, iteration=3) == [*real, Request(Stream.LIKELIHOOD, 3, 7)]
    assert Stream.LIKELIHOOD not in [request.stream for request in asked(training, density=True, iteration=2)]


@pytest.mark.parametrize("model", [GAN, FLOW], ids=["gan", "flow"])
@pytest.mark.parametrize("trials", [1, 3])
def test_files_and_memory_train_alike_in_any_strides_and_after_a_resume(
    folder: Path, model: Model, trials: int
) -> None:
    held = Population([config(folder, "memory", model, seed=seed) for seed in range(trials)])
    held.advance(7)
    configs = [config(folder, "stream", model, seed=seed) for seed in range(trials)]
    streamed = Population(configs)
    assert streamed.source.streamed
    for stride in (1, 3):
        streamed.advance(stride)
    resumed = Population(configs, streamed.states())
    for population in (streamed, resumed):
        population.advance(3)
        assert_same(population.states(), held.states())


def test_workers_read_what_is_trained_on_and_end_when_it_is_closed_or_dropped(folder: Path) -> None:
    held = Population([config(folder, "memory")])
    held.advance(6)
    population = Population([config(folder, "stream", workers=2)])
    assert not multiprocessing.active_children(), "nothing is read before it is needed"
    population.advance(3)
    assert len(multiprocessing.active_children()) == 2
    population.close()
    assert not multiprocessing.active_children()
    population.advance(3)
    assert_same(population.states(), held.states())
    assert len(multiprocessing.active_children()) == 2
    kept = population.keep([0])
    kept.sample(3)
    assert len(multiprocessing.active_children()) == 2, "who is only looked at reads nothing ahead"
    del population
    assert not multiprocessing.active_children()


def test_batches_lie_where_the_ones_before_lay(folder: Path) -> None:
    one = config(folder, "stream")
    feed = Feed(
        one.dataset.source(), [3], one.training, density=False, iteration=0, device=torch.device("cpu")
    )
    feed.load()
    before = feed.batch(Stream.REAL, 1)
    copied = before.x.clone()
    feed.load()
    after = feed.batch(Stream.REAL, 1)
    assert after.x.data_ptr() == before.x.data_ptr()
    assert not torch.equal(after.x, copied)
    assert after.y is not None
    assert before.y is not None
    assert after.y.data_ptr() == before.y.data_ptr()


def test_a_file_that_cannot_be_read_ends_the_workers_too(tmp_path: Path) -> None:
    population = Population([config(make_folder(tmp_path, ("cats",), each=8), "stream", workers=1)])
    for file in tmp_path.rglob("*.png"):
        file.write_bytes(b"no image")
    with pytest.raises(ValueError, match="must be an image"):
        population.advance(1)
    assert not multiprocessing.active_children()


TRAINING = """
import multiprocessing, sys
from pathlib import Path
from tests.trainables.training.test_feed import config
from trainables.training.population import Population

population = Population([config(Path(sys.argv[1]), "stream", workers=2)])
population.advance(1)
print(*[child.pid for child in multiprocessing.active_children()], flush=True)
population.advance(10**9)
"""


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
def test_an_interrupt_leaves_no_process(folder: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", TRAINING, str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    workers = [int(word) for word in process.stdout.readline().split()]
    assert len(workers) == 2
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    process.stdout.close()
    assert process.wait(30) != 0
    deadline = time.monotonic() + 20
    while any(_alive(worker) for worker in workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(_alive(worker) for worker in workers)


def _alive(process: int) -> bool:
    """Whether it runs; one that ended and that nobody asked about does not."""
    try:
        return ") Z " not in Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except OSError:
        return False


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("model", [GAN, FLOW], ids=["gan", "flow"])
def test_a_graph_finds_its_batches(folder: Path, model: Model) -> None:
    held, streamed = (
        Population([config(folder, how, model, workers=1)], device="cuda") for how in ("memory", "stream")
    )
    for stride in (1, 11, 13):  # before the graph is recorded, across that, and after
        held.advance(stride)
        streamed.advance(stride)
    assert_same(streamed.states(), held.states())
    streamed.close()
