"""Work on a pack of which some fail: what raises, diverges or is damaged costs its own trial only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
import torch
from torch import Tensor

from explorer.launch.meter import Meter
from explorer.launch.pack_work import PackWork
from explorer.launch.packing import Orders, Pack, PlannedTrial
from tests.explorer.launch.packs import checkpoints, damage, half_way, order, said, stepped, worked
from tests.explorer.launch.small import configs, small_sweep
from trainables.evaluation.evaluate import evaluate
from trainables.evaluation.reading import Evaluation
from trainables.evaluation.settings import ReadingPlan
from trainables.faults import Fault
from trainables.metrics import METRICS, Entry, Metric, Scores
from trainables.metrics.pair import Pair
from trainables.objectives import OBJECTIVES
from trainables.objectives.fgan import Gan
from trainables.training.population import Population

pytestmark = pytest.mark.usefixtures("threads")


def test_a_diverged_trial_is_told_and_its_neighbour_ends_well(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, space={"training.generator_lr": [0.001, 1e30]})
    good, bad = configs(sweep)
    told = worked(PackWork(order(sweep)))
    assert told[-1][1].keys() == {good}, "the other was told of once, and is trained no more"
    assert told[-1][1][good][0].metrics
    fault = told[0][1][bad][0].fault
    assert fault is not None
    assert fault.kind == "diverged"
    assert fault.reason.startswith("diverged: ")
    assert checkpoints(sweep) == {good: ["8.pt"], bad: ["4.pt"]}


@dataclass(frozen=True)
class Touchy(Metric):
    """Raises for samples that are wide."""

    name: ClassVar[str] = "touchy"
    entries: ClassVar[tuple[Entry, ...]] = (Entry("touchy", "Touchy", "Nothing."),)

    def measure(self, pair: Pair) -> Scores:
        if float(pair.fake.abs().max()) > 100:
            raise LookupError("these samples are too wide")
        return Scores({"touchy": 1.0})


@dataclass(frozen=True)
class Bomb(Gan):
    """Raises in training."""

    name: ClassVar[str] = "bomb"
    kind: str = "ValueError"

    def critic_loss(self, real: Tensor, fake: Tensor) -> Tensor:
        kinds: dict[str, type[Exception]] = {"ValueError": ValueError, "MemoryError": MemoryError}
        raise kinds[self.kind]("the loss went off")


@pytest.fixture
def touchy() -> None:
    METRICS.add(Touchy)


@pytest.fixture
def bomb() -> None:
    OBJECTIVES.add(Bomb)


@pytest.mark.usefixtures("touchy")
def test_an_evaluation_that_raises_for_one_trial_costs_that_trial_only(tmp_path: Path) -> None:
    sweep = small_sweep(
        tmp_path,
        objective={"name": "gan"},
        space={"training.generator_lr": [0.001, 1e3, 0.002]},
        evaluation={"samples": 40, "every": 4, "metrics": ["neighbours", "frechet", "touchy"]},
    )
    told = worked(PackWork(order(sweep)))
    wide = {i for i, c in configs(sweep).items() if c.training.generator_lr > 1}
    assert len(wide) == 1
    assert [(i, set(e)) for i, e in told] == [(4, set(configs(sweep))), (8, set(configs(sweep)) - wide)]
    for trial in wide:
        assert told[0][1][trial][0].fault == Fault("LookupError: these samples are too wide")
    assert all(e.metrics["touchy"] == 1.0 and e.final for e, _ in told[1][1].values())


@pytest.mark.usefixtures("bomb")
@pytest.mark.parametrize("kind", ["ValueError", "MemoryError"])
def test_training_that_raises_for_one_trial_costs_that_trial_only(tmp_path: Path, kind: str) -> None:
    sweep = small_sweep(
        tmp_path,
        space=[
            {"objective.name": ["pr"], "objective.lam": [1, 2, 3, 4, 5]},
            {"objective.name": ["bomb"], "objective.kind": [kind]},
        ],
    )
    every = configs(sweep)
    bad = {i for i, c in every.items() if c.objective.name == "bomb"}
    told = worked(PackWork(order(sweep)))
    found = {trial: both[0] for _, evaluations in told for trial, both in evaluations.items()}
    assert {trial for trial, e in found.items() if e.fault} == bad
    for trial, evaluation in found.items():
        if trial in bad:
            assert evaluation.fault == Fault(
                f"{kind}: the loss went off", "memory" if kind == "MemoryError" else "raised"
            )
        else:
            assert evaluation.final
    alone = small_sweep(tmp_path / "alone", space={"objective.lam": [1, 2, 3, 4, 5]})
    for trial, (evaluation, _) in worked(PackWork(order(alone)))[-1][1].items():
        assert found[trial].metrics == pytest.approx(evaluation.metrics, rel=1e-4, abs=1e-6)


def poison(file: Path) -> None:
    torch.save({**torch.load(file), "unexpected": torch.zeros(1)}, file)


def reshape(file: Path) -> None:
    torch.save({**torch.load(file), "generator": torch.zeros(3)}, file)


def age(file: Path) -> None:
    torch.save({**torch.load(file), "layout": torch.tensor(99)}, file)


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (damage, "it does not load"),
        (poison, "it lacks or should not have 'unexpected'"),
        (reshape, "its 'generator' is (3,) of torch.float32"),
        (age, "it is of layout 99, and this version reads 1 and 2"),
    ],
)
def test_a_checkpoint_of_no_use_is_set_aside_and_costs_its_own_trial_only(
    tmp_path: Path, spoil: Callable[[Path], None], why: str
) -> None:
    whole = worked(PackWork(order(small_sweep(tmp_path / "a"))))[-1][1]
    sweep = small_sweep(tmp_path / "b")
    half_way(sweep)
    first, second = configs(sweep)
    file = Path(sweep.resources.storage or "") / first / "4.pt"
    spoil(file)
    spoilt = file.read_bytes()
    told, heard = said(PackWork(order(sweep, start=4)))
    assert [(i, set(e)) for i, e in told] == [(4, {second}), (8, {second}), (4, {first}), (8, {first})]
    assert len(heard) == 1
    assert why in heard[0]
    assert heard[0].startswith(f"checkpoint {file} is of no use, ")
    assert heard[0].endswith("; it was set aside as 4.pt.aside-1")
    assert file.with_name("4.pt.aside-1").read_bytes() == spoilt, "nothing is lost"
    assert checkpoints(sweep) == {first: ["4.pt.aside-1", "8.pt"], second: ["8.pt"]}
    for trial in (first, second):
        found = next(e[trial][0] for i, e in told if i == 8 and trial in e)
        assert found.metrics == pytest.approx(whole[trial][0].metrics, rel=1e-4, abs=1e-6)


def test_a_final_state_of_no_use_is_told_and_not_trained_anew_behind_ones_back(tmp_path: Path) -> None:
    worked(PackWork(order(small_sweep(tmp_path))))
    sweep = small_sweep(tmp_path, refinement={"budgets": [1, 3]})
    first, second = configs(sweep)
    damage(Path(sweep.resources.storage or "") / first / "8.pt")
    told, heard = said(PackWork(order(sweep, start=8, finished=True)))
    found = {trial: both[0] for _, evaluations in told for trial, both in evaluations.items()}
    assert found[second].final
    assert found[first].fault == Fault(
        "its final state is gone, so that it cannot be read; run again to train it anew", "state"
    )
    assert len(heard) == 1
    assert checkpoints(sweep) == {first: ["8.pt.aside-1"], second: ["8.pt"]}


def test_where_a_whole_part_has_lost_its_states_the_next_goes_on_from_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = small_sweep(tmp_path)
    half_way(sweep)
    (first, ended), (second, going) = configs(sweep).items()
    (Path(sweep.resources.storage or "") / first / "4.pt").unlink()
    pack = Pack((PlannedTrial(first, ended, 4, 4, finished=True), PlannedTrial(second, going, 4, 8)))
    trained: list[int] = []
    train = Meter.train

    def watched(self: Meter, population: Any, trials: Sequence[str], iterations: int) -> float:
        trained.append(iterations)
        return train(self, population, trials, iterations)

    monkeypatch.setattr(Meter, "train", watched)
    told, _ = said(PackWork({**order(sweep), "pack": pack.to_json(Orders.of(sweep))}))
    found = {trial: both[0] for _, evaluations in told for trial, both in evaluations.items()}
    assert found[first].fault is not None
    assert (found[second].iteration, found[second].final) == (8, True)
    assert sum(trained) == 4, "from its checkpoint, not from the beginning"


def test_a_final_state_of_no_use_that_was_never_told_is_trained_anew(tmp_path: Path) -> None:
    whole = worked(PackWork(order(small_sweep(tmp_path / "a"))))[-1][1]
    sweep = small_sweep(tmp_path / "b")
    worked(PackWork(order(sweep)))
    first, second = configs(sweep)
    damage(Path(sweep.resources.storage or "") / first / "8.pt")
    told, heard = said(PackWork(order(sweep, start=8)))
    assert [(i, set(e)) for i, e in told] == [(8, {second}), (4, {first}), (8, {first})]
    assert told[-1][1][first][0].metrics == pytest.approx(whole[first][0].metrics, rel=1e-4, abs=1e-6)
    assert len(heard) == 1
    assert checkpoints(sweep) == {first: ["8.pt", "8.pt.aside-1"], second: ["8.pt"]}


def test_a_checkpoint_that_cannot_be_read_costs_its_own_trial_and_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = small_sweep(tmp_path)
    half_way(sweep)
    monkeypatch.setattr("trainables.training.checkpoints._PAUSE", 0.01)
    first, second = configs(sweep)
    folder = Path(sweep.resources.storage or "")
    (folder / first / "4.pt").rename(folder / "elsewhere")
    (folder / first / "4.pt").mkdir()  # reading a folder fails as a file system in trouble does, for root too
    told, heard = said(PackWork(order(sweep, start=4)))
    found = {trial: both[0] for _, evaluations in told for trial, both in evaluations.items()}
    assert found[first].fault == Fault(
        f"checkpoint {folder / first / '4.pt'} cannot be read: Is a directory", "state"
    )
    assert found[second].final
    assert heard == []
    assert (folder / first / "4.pt").exists()
    (folder / first / "4.pt").rmdir()
    (folder / "elsewhere").rename(folder / first / "4.pt")
    told, _ = said(PackWork(order(sweep, start=4)))
    assert [i for i, both in told if first in both] == [4, 8], "it goes on from there another time"


def test_what_raises_in_the_midst_of_reading_is_tried_again_without_those_that_were_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = small_sweep(tmp_path, seeds=5, space={"objective.lam": [1]})
    read: list[int] = []

    def troubled(population: Population, plan: ReadingPlan, final: bool) -> list[Evaluation]:
        if final:
            read.append(len(population.configs))
            if len(read) == 2:
                raise RuntimeError("a cosmic ray")
        return evaluate(population, plan, final)

    monkeypatch.setattr("explorer.launch.pack_work._READ_AT_ONCE", 2)
    monkeypatch.setattr("trainables.evaluation.evaluate.evaluate", troubled)
    told = [
        (trial, one) for i, e in worked(PackWork(order(sweep))) if i == 8 for trial, (one, _) in e.items()
    ]
    assert sorted(trial for trial, _ in told) == sorted(configs(sweep)), "each once"
    assert all(one.final and one.fault is None for _, one in told)
    assert read == [2, 2, 1, 2], "three were left, and went on in halves"


def test_a_finished_trial_is_not_trained_to_its_end_from_an_older_state(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, space={"objective.lam": [1]})
    (trial,) = configs(sweep)
    stepped(PackWork(order(sweep, end=4, final=False)), "waiting")
    assert checkpoints(sweep) == {trial: ["4.pt"]}
    _, told = stepped(PackWork(order(sweep, start=8, finished=True)), "done")
    assert told[trial][0].fault is not None
    assert told[trial][0].fault.kind == "state"
    _, told = stepped(PackWork(order(sweep, start=8)), "done")
    assert (told[trial][0].iteration, told[trial][0].final) == (8, True)


@pytest.mark.parametrize("alone", [True, False])
def test_an_evaluation_without_memory_is_tried_again_for_each_trial_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, alone: bool
) -> None:
    sweep = small_sweep(tmp_path, space={"objective.lam": [1, 2, 3]})
    hungry = list(configs(sweep))[1]
    short = Fault("MemoryError: there was none left", "memory")

    def scarce(population: Population, plan: ReadingPlan, final: bool) -> list[Evaluation]:
        lacking = [config.identity() == hungry for config in population.configs]
        enough = alone and len(lacking) == 1
        found = evaluate(population, plan, final)
        return [
            Evaluation(one.iteration, final, fault=short) if lacks and not enough else one
            for lacks, one in zip(lacking, found, strict=True)
        ]

    monkeypatch.setattr("trainables.evaluation.evaluate.evaluate", scarce)
    told = worked(PackWork(order(sweep)))
    faults = {trial: one.fault for _, e in told for trial, (one, _) in e.items()}
    assert faults == dict.fromkeys(configs(sweep)) | {hungry: None if alone else short}
    assert [len(e) for _, e in told] == [3, 3 if alone else 2]
