"""Work on a pack: trained to its end in strides, read at its evaluations, gone on with from any checkpoint."""

from __future__ import annotations

import itertools
import multiprocessing
import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
import torch
from torch import Tensor

from explorer.goals import Goal
from explorer.launch.earlier import stopper_mark
from explorer.launch.engine.messages import Verdict
from explorer.launch.meter import Meter
from explorer.launch.pack_work import PackWork
from explorer.launch.packing import Orders, Pack, PlannedTrial
from explorer.stopping import STOPPERS, Stopper
from explorer.stopping.stopper import Histories
from explorer.store.stop import Stop
from explorer.sweep.sweep import Sweep
from tests.explorer.launch.small import configs, small_sweep
from tests.trainables.datasets.made_sets import make_folder
from trainables.evaluation.evaluate import evaluate
from trainables.evaluation.reading import Evaluation
from trainables.evaluation.settings import ReadingPlan
from trainables.faults import Fault
from trainables.metrics import METRICS, Entry, Metric, Scores
from trainables.metrics.pair import Pair
from trainables.objectives import OBJECTIVES
from trainables.objectives.fgan import Gan
from trainables.training.checkpoints import CheckpointFolder
from trainables.training.population import Population

pytestmark = pytest.mark.usefixtures("quick_curves")


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def order(
    sweep: Sweep, start: int = 0, end: int | None = None, final: bool = True, finished: bool = False
) -> dict[str, Any]:
    """What a worker is handed."""
    pack = Pack(
        tuple(
            PlannedTrial(i, c, start, end or c.training.iterations, final=final, finished=finished)
            for i, c in configs(sweep).items()
        )
    )
    return {
        "pack": pack.to_json(Orders.of(sweep)),
        "storage": sweep.resources.storage,
        "cpus": 1.0,
        "gpus": 0.0,
        "stopper": stopper_mark(sweep),
    }


Told = list[tuple[int, dict[str, tuple[Evaluation, Stop | None]]]]


def worked(work: PackWork) -> Told:
    """(iteration, evaluations by trial) of every step that had any, to the end."""
    told: Told = []
    while True:
        result = work.step()
        if "payload" in result:
            evaluations = pickle.loads(result["payload"])
            told.append((max(e.iteration for e, _ in evaluations.values()), evaluations))
        if result["done"]:
            return told


def checkpoints(sweep: Sweep) -> dict[str, list[str]]:
    return {
        i: sorted(p.name for p in (Path(sweep.resources.storage or "") / i).iterdir()) for i in configs(sweep)
    }


def test_a_pack_is_evaluated_on_its_way_and_read_at_its_end(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path)
    told = worked(PackWork(order(sweep)))
    assert [iteration for iteration, _ in told] == [4, 8]
    for iteration, evaluations in told:
        assert set(evaluations) == set(configs(sweep))
        for evaluation, stop in evaluations.values():
            assert (evaluation.iteration, evaluation.final, stop) == (iteration, iteration == 8, None)
            methods = [r.key for r in evaluation.readings]
            assert methods == ([("none", 1.0), ("obrs", 2.0)] if iteration == 8 else [("none", 1.0)])
            assert evaluation.diagnostics["train_seconds"] > 0
            assert evaluation.diagnostics["samples_per_second"] > 0
            assert not {"gpu_seconds", "device_memory"} & set(evaluation.diagnostics), "no card was used"
    assert checkpoints(sweep) == {trial: ["8.pt"] for trial in configs(sweep)}


def test_more_samples_than_are_held_out_are_told_before_anything_is_trained(tmp_path: Path) -> None:
    dataset = {"name": "digits", "only": [1, 3]}
    sweep = small_sweep(
        tmp_path, dataset=dataset, evaluation={"samples": 300, "every": 4, "features": "identity"}
    )
    told = [one for _, evaluations in worked(PackWork(order(sweep))) for one, _ in evaluations.values()]
    assert len(told) == len(configs(sweep))
    for evaluation in told:
        assert evaluation.iteration == 0
        assert evaluation.fault is not None
        assert "samples held out" in evaluation.fault.reason
    assert not list(Path(sweep.resources.storage or "").glob("*/*.pt"))


def test_a_pack_that_died_goes_on_and_ends_alike(tmp_path: Path) -> None:
    whole = worked(PackWork(order(small_sweep(tmp_path / "a"))))[-1][1]
    sweep = small_sweep(tmp_path / "b")
    dying = PackWork(order(sweep))
    while "payload" not in dying.step():
        pass
    told = worked(PackWork(order(sweep, start=4)))
    assert [iteration for iteration, _ in told] == [4, 8], "what may not have been heard is said again"
    for trial, (evaluation, _) in told[-1][1].items():
        assert evaluation.metrics == whole[trial][0].metrics, "as if nothing had happened"


def test_seconds_are_counted_over_all_times_a_trial_is_taken_up(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path)
    half_way(sweep)
    folder = CheckpointFolder(tmp_path / "checkpoints")
    states = {trial: folder.load(trial, 4) for trial in configs(sweep)}
    first, second = states
    states[first]["seconds"] += 1000.0
    del states[second]["seconds"]  # as in checkpoints of earlier versions
    folder.save(states)
    for iteration, evaluations in worked(PackWork(order(sweep, start=4))):
        spent = {trial: e.diagnostics.get("train_seconds", 0.0) for trial, (e, _) in evaluations.items()}
        assert spent[first] > 1000
        assert spent[second] < 1000
        if iteration == 8:
            assert folder.load(first, 8)["seconds"][0] == spent[first]
            assert evaluations[first][0].diagnostics["samples_per_second"] > 100, (
                "of what was trained just now"
            )


def streamed_sweep(tmp_path: Path, **changes: Any) -> Sweep:
    folder = make_folder(tmp_path / "images", ("cats", "dogs"), each=60)
    dataset = {"name": "folder", "root": str(folder), "size": 4, "held": "stream", "held_out": 0.4}
    evaluation = {"samples": 40, "every": 4, "features": "identity"}
    return small_sweep(tmp_path, dataset={**dataset, "workers": 1}, evaluation=evaluation, **changes)


def test_who_reads_ahead_is_gone_when_the_pack_is_over_or_shrinks(tmp_path: Path, choosy: None) -> None:
    work = PackWork(order(streamed_sweep(tmp_path, stopping={"name": "choosy"})))
    seen = []
    while True:
        result = work.step()
        seen.append(len(multiprocessing.active_children()))
        if result["done"]:
            break
    assert seen[-1] == 0
    assert set(seen) <= {0, 1}, "one worker at a time"


def test_a_pack_that_is_closed_reads_nothing_and_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    work = PackWork(order(streamed_sweep(tmp_path)))
    while "payload" not in work.step():
        pass
    assert len(multiprocessing.active_children()) == 1
    work.close()
    assert not multiprocessing.active_children()
    assert [iteration for iteration, _ in worked(work)] == [4, 8]
    assert not multiprocessing.active_children()


def test_a_trained_pack_is_only_read_and_may_be_read_differently(tmp_path: Path) -> None:
    trained = worked(PackWork(order(small_sweep(tmp_path))))[-1][1]
    other = small_sweep(tmp_path, refinement={"budgets": [1, 3]}, evaluation={"samples": 30, "every": 4})
    before = checkpoints(other)
    ((iteration, evaluations),) = worked(PackWork(order(other, start=8)))
    assert iteration == 8
    for trial, (evaluation, _) in evaluations.items():
        assert [r.key for r in evaluation.readings] == [("none", 1.0), ("obrs", 3.0)]
        spent = trained[trial][0].diagnostics["train_seconds"]
        assert evaluation.diagnostics["train_seconds"] == spent, "nothing was trained"
        assert "samples_per_second" not in evaluation.diagnostics
    assert checkpoints(other) == before


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
class Choosy(Stopper):
    """Ends trials of one λ after their first evaluation."""

    name: ClassVar[str] = "choosy"
    after: int = 1
    all: bool = False

    def stop(self, histories: Histories, goals: Sequence[Goal]) -> dict[str, str]:
        chosen = list(histories) if self.all else list(histories)[:1]
        seen = {trial: len(histories[trial]) for trial in chosen}
        return {trial: "chosen" for trial in chosen if seen[trial] >= self.after and len(histories) > 1}


@pytest.fixture
def choosy() -> Iterator[None]:
    STOPPERS.add(Choosy)
    yield
    STOPPERS.forget("choosy")


@pytest.mark.usefixtures("choosy")
def test_a_stopped_trial_is_read_where_it_stands_and_leaves_the_pack(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, stopping={"name": "choosy"})
    first, second = configs(sweep)
    told = worked(PackWork(order(sweep)))
    assert [(i, set(e)) for i, e in told] == [(4, {first, second}), (8, {second})]
    evaluation, stop = told[0][1][first]
    assert stop == Stop(4, stopper_mark(sweep), "chosen")
    assert evaluation.final
    assert [r.key for r in evaluation.readings] == [("none", 1.0), ("obrs", 2.0)]
    assert told[0][1][second][1] is None
    assert not told[0][1][second][0].final
    assert checkpoints(sweep) == {first: ["4.pt", "note.txt"], second: ["8.pt"]}


@pytest.mark.usefixtures("choosy")
def test_what_a_stopper_ended_before_is_said_again_after_a_death(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, stopping={"name": "choosy"})
    first, second = configs(sweep)
    dying = PackWork(order(sweep))
    while "payload" not in dying.step():
        pass
    told = worked(PackWork(order(sweep, start=4)))
    assert told[0][1][first][1] == Stop(4, stopper_mark(sweep), "chosen")
    assert told[0][1][first][0].final
    assert told[-1][0] == 8
    assert set(told[-1][1]) == {second}
    assert checkpoints(sweep)[first] == ["4.pt", "note.txt"], "it was not trained on"


@pytest.mark.usefixtures("choosy")
def test_under_another_stopper_a_stopped_trial_goes_on(tmp_path: Path) -> None:
    worked(PackWork(order(small_sweep(tmp_path, stopping={"name": "choosy", "all": True}))))
    sweep = small_sweep(tmp_path)
    assert list(checkpoints(sweep).values()) == [["4.pt", "note.txt"]] * 2
    told = worked(PackWork(order(sweep, start=4)))
    assert told[-1][0] == 8
    assert all(e.final and stop is None for e, stop in told[-1][1].values())


@pytest.mark.usefixtures("choosy")
def test_iterations_are_those_of_the_trials_alive(tmp_path: Path) -> None:
    work = PackWork(order(small_sweep(tmp_path, stopping={"name": "choosy"})))
    reached = [work.step()["reached"] for _ in range(2)]
    assert reached == [2 * 4, 2 * 4 + 4]


@pytest.mark.usefixtures("choosy")
def test_a_pack_of_which_all_were_stopped_is_done(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, stopping={"name": "choosy", "all": True})
    assert [i for i, _ in worked(PackWork(order(sweep)))] == [4]
    again = PackWork(order(sweep, start=4)).step()
    assert (again["done"], again["reached"]) == (True, 0), "nothing is trained any more"
    assert {stop.iteration for _, stop in pickle.loads(again["payload"]).values()} == {4}


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
def touchy() -> Iterator[None]:
    METRICS.add(Touchy)
    yield
    METRICS.forget("touchy")


@pytest.fixture
def bomb() -> Iterator[None]:
    OBJECTIVES.add(Bomb)
    yield
    OBJECTIVES.forget("bomb")


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


def said(work: PackWork) -> tuple[Told, list[str]]:
    """What is told of trials and what the user hears, to the end."""
    heard: list[str] = []
    step = work.step

    def listening() -> dict[str, Any]:
        result = step()
        heard.extend(result.get("said", ()))
        return result

    work.step = listening  # type: ignore[method-assign]
    return worked(work), heard


def half_way(sweep: Sweep) -> None:
    """Train a pack to its first evaluation."""
    work = PackWork(order(sweep))
    while "payload" not in work.step():
        pass


def damage(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-300])


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


def test_trials_begin_at_the_final_states_of_their_bases(tmp_path: Path) -> None:
    base = {"objective": {"name": "gan"}, "training": {"iterations": 4, "batch_size": 8}}
    training = {"iterations": 8, "batch_size": 8, "critic_first": 4}
    sweep = small_sweep(tmp_path, base=base, start={"from": "base"}, training=training)
    (start,) = {c.start for c in configs(sweep).values()}
    assert start is not None
    assert start.config is not None
    first = PlannedTrial(start.base, start.config, 0, 4)
    settings = order(sweep)
    worked(PackWork({**settings, "pack": Pack((first,)).to_json(Orders.of(sweep))}))
    folder = CheckpointFolder(tmp_path / "checkpoints")
    average = folder.load(start.base, 4)["average"]
    gone = worked(PackWork(settings))  # nobody said where the base lies
    reasons = {e.fault.reason for _, told in gone for e, _ in told.values() if e.fault is not None}
    assert reasons == {
        f"the final state of its base {start.base} is gone, so that it cannot begin; run again to train that anew"
    }
    trials = [PlannedTrial(i, c, 0, 8, base=4) for i, c in configs(sweep).items()]
    work = PackWork({**settings, "pack": Pack(tuple(trials)).to_json(Orders.of(sweep))})
    while 4 not in folder.iterations(trials[0].id):
        work.step()
    for trial in trials:
        state = folder.load(trial.id, 4)
        assert torch.equal(state["generator"], average), "the critic was trained alone so far"
        assert torch.equal(state["average"], average)
    evaluations = worked(work)[-1][1]
    assert set(evaluations) == {trial.id for trial in trials}
    assert all(e.final and e.fault is None for e, _ in evaluations.values())


CURVE: dict[str, Any] = {
    "model": {"generator": [4], "critic": [4], "takes_lam": True},
    "base": {
        "objective": {"name": "pr", "lams": [0.1, 10]},
        "training": {"iterations": 4, "batch_size": 8, "generator_lr": 0.1},
    },
    "start": {"from": "base", "critic": "kept"},
    "training": {"iterations": 0},
    "space": {"objective.lam": [0.1, 1, 10]},
}


def test_a_curve_is_read_at_every_lambda_and_nothing_is_trained_or_kept(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, **CURVE)
    (start,) = {c.start for c in configs(sweep).values()}
    assert start is not None
    assert start.config is not None
    settings = order(sweep)
    base = Pack((PlannedTrial(start.base, start.config, 0, 4),))
    worked(PackWork({**settings, "pack": base.to_json(Orders.of(sweep))}))
    trials = tuple(PlannedTrial(i, c, 0, 0, base=4) for i, c in configs(sweep).items())
    work = PackWork({**settings, "pack": Pack(trials).to_json(Orders.of(sweep))})
    result = work.step()
    assert (result["done"], result["reached"]) == (True, 0)
    found = pickle.loads(result["payload"])
    assert set(found) == set(configs(sweep))
    points = []
    for evaluation, stop in found.values():
        assert (evaluation.iteration, evaluation.final, evaluation.fault, stop) == (0, True, None, None)
        assert [reading.budget for reading in evaluation.readings] == [1, 2]
        assert not {"train_seconds", "critic_loss", "generator_loss"} & set(evaluation.diagnostics)
        points.append(evaluation.readings[0].samples)
    assert not (points[0] == points[1]).all()
    assert [folder.name for folder in (tmp_path / "checkpoints").iterdir()] == [start.base]


def test_a_base_of_other_networks_costs_who_begins_at_it(tmp_path: Path) -> None:
    wide = small_sweep(tmp_path, model={"generator": [5], "critic": [4]}, space=None)
    worked(PackWork(order(wide)))
    (base,) = configs(wide)
    sweep = small_sweep(tmp_path, start={"from": base})
    trials = tuple(PlannedTrial(i, c, 0, 8, base=8) for i, c in configs(sweep).items())
    told = worked(PackWork({**order(sweep), "pack": Pack(trials).to_json(Orders.of(sweep))}))
    found = {trial: e.fault for _, evaluations in told for trial, (e, _) in evaluations.items()}
    assert set(found) == set(configs(sweep))
    for fault in found.values():
        assert fault is not None
        assert f"its base {base} does not fit: its 'average' is" in fault.reason


def stepped(work: PackWork, until: str) -> tuple[dict[str, Any], dict[str, tuple[Evaluation, Stop | None]]]:
    """The first result that has something, and what was told up to it."""
    told: dict[str, tuple[Evaluation, Stop | None]] = {}
    while True:
        result = work.step()
        told |= pickle.loads(result.get("payload", pickle.dumps({})))
        if result.get(until):
            return result, told


def test_trials_wait_at_a_rung_and_the_pack_goes_on_smaller(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, space={"objective.lam": [1, 2, 3]})
    first, second, third = configs(sweep)
    work = PackWork(order(sweep, end=4, final=False))
    result, told = stepped(work, "waiting")
    assert result["waiting"] == [first, second, third] == work.waiting
    assert {evaluation.iteration for evaluation, _ in told.values()} == {4}
    assert not any(evaluation.final for evaluation, _ in told.values())
    work.decide(Verdict({first: (8, True)}, {second: "halved: for a test"}))
    assert work.waiting == []
    result, told = stepped(work, "done")
    assert (told[first][0].iteration, told[first][0].final, told[first][1]) == (8, True, None)
    assert (told[second][0].iteration, told[second][0].final) == (4, True)
    assert told[second][1] == Stop(4, stopper_mark(sweep), "halved: for a test")
    assert third not in told, "it left the pack as it was, saved"
    names = {
        trial: [name for name in files if name.endswith(".pt")] for trial, files in checkpoints(sweep).items()
    }
    assert names == {first: ["8.pt"], second: ["4.pt"], third: ["4.pt"]}


def test_a_trial_that_lost_elsewhere_is_read_where_it_stands(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, space={"objective.lam": [1]})
    (trial,) = configs(sweep)
    stepped(PackWork(order(sweep, end=4, final=False)), "waiting")
    pack = Pack((PlannedTrial(trial, configs(sweep)[trial], 4, 4, stop="halved: elsewhere"),))
    _, told = stepped(PackWork({**order(sweep), "pack": pack.to_json(Orders.of(sweep))}), "done")
    evaluation, stop = told[trial]
    assert (evaluation.iteration, evaluation.final) == (4, True)
    assert stop == Stop(4, stopper_mark(sweep), "halved: elsewhere")


def test_what_was_measured_before_a_checkpoint_is_told_again(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, evaluation={"samples": 40, "every": 2})
    first, second = configs(sweep)
    work = PackWork(order(sweep, end=6))
    heard = {
        evaluation.iteration: evaluation.metrics for _, e in worked(work) for evaluation, _ in [e[first]]
    }
    again = PackWork(order(sweep, start=6))
    result = again.step()
    earlier = pickle.loads(result["earlier"])
    assert set(earlier) == {first, second}
    assert {one.iteration: one.metrics for one in earlier[first]} == {i: heard[i] for i in (2, 4)}
    assert "earlier" not in again.step(), "once"


def test_who_is_to_end_saves_where_it_is(tmp_path: Path) -> None:
    long = {"iterations": 400, "batch_size": 8}
    sweep = small_sweep(tmp_path, training=long, evaluation={"samples": 40, "every": 400})
    work = PackWork(order(sweep))
    work.save()
    assert not list(tmp_path.rglob("*.pt")), "nothing was trained"
    work.step()
    work.save()
    assert len(list(tmp_path.rglob("*.pt"))) == 2


def test_trials_are_read_some_at_a_time_and_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = small_sweep(tmp_path / "some", seeds=5, space={"objective.lam": [1]})
    whole = dict(
        worked(PackWork(order(small_sweep(tmp_path / "all", seeds=5, space={"objective.lam": [1]}))))
    )
    monkeypatch.setattr("explorer.launch.pack_work._READ_AT_ONCE", 2)
    work = PackWork(order(sweep))
    told = worked(work)
    assert [(i, len(e)) for i, e in told] == [(4, 5), (8, 2), (8, 2), (8, 1)]
    final = {trial: one for _, evaluations in told[1:] for trial, one in evaluations.items()}
    assert set(final) == set(configs(sweep))
    for trial, (evaluation, _) in final.items():
        assert evaluation.final
        alike = whole[8][trial][0]
        assert evaluation.metrics == pytest.approx(alike.metrics, rel=2e-3, abs=3 / 40)
        assert evaluation.diagnostics["critic_loss"] == pytest.approx(
            alike.diagnostics["critic_loss"], rel=1e-3
        )


def test_who_is_stopped_while_it_reads_has_nothing_to_save_and_reads_on_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("explorer.launch.pack_work._READ_AT_ONCE", 1)
    sweep = small_sweep(tmp_path)
    work = PackWork(order(sweep))
    while "payload" not in (result := work.step()) or not all(
        evaluation.final for evaluation, _ in pickle.loads(result["payload"]).values()
    ):
        pass
    assert not result["done"]
    before = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.pt")}
    work.save()
    assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.pt")} == before
    (read,) = pickle.loads(result["payload"])
    (left,) = set(configs(sweep)) - {read}
    pack = Pack((PlannedTrial(left, configs(sweep)[left], 8, 8),))
    _, told = stepped(PackWork({**order(sweep), "pack": pack.to_json(Orders.of(sweep))}), "done")
    assert told[left][0].final
    assert told[left][0].fault is None


def test_losers_of_a_rung_are_read_some_at_a_time_and_nobody_waits_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("explorer.launch.pack_work._READ_AT_ONCE", 2)
    sweep = small_sweep(tmp_path, seeds=6, space={"objective.lam": [1]})
    winner, *losers = configs(sweep)
    work = PackWork(order(sweep, end=4, final=False))
    stepped(work, "waiting")
    work.decide(Verdict({winner: (8, True)}, dict.fromkeys(losers, "halved: for a test")))
    told = []
    while sum(told) < len(losers):
        result = work.step()
        assert "waiting" not in result
        told.append(len(pickle.loads(result["payload"])))
    assert told == [2, 2, 1]
    assert [(i, set(e)) for i, e in worked(work)] == [(8, {winner})]


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


def test_what_raises_after_a_verdict_goes_on_as_was_decided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = small_sweep(tmp_path, seeds=6, space={"objective.lam": [1]})
    first, second, silent, *losers = configs(sweep)
    work = PackWork(order(sweep, end=4, final=False))
    stepped(work, "waiting")
    troubles = iter([RuntimeError("a cosmic ray"), RuntimeError("and another")])

    def troubled(population: Population, plan: ReadingPlan, final: bool) -> list[Evaluation]:
        trouble = next(troubles, None)
        if trouble is not None:
            raise trouble
        return evaluate(population, plan, final)

    monkeypatch.setattr("trainables.evaluation.evaluate.evaluate", troubled)
    work.decide(
        Verdict(dict.fromkeys((first, second), (8, True)), dict.fromkeys(losers, "halved: for a test"))
    )
    told: dict[str, tuple[Evaluation, Stop | None]] = {}
    while True:
        result = work.step()
        assert "waiting" not in result
        told |= pickle.loads(result.get("payload", pickle.dumps({})))
        if result["done"]:
            break
    assert set(told) == {first, second, *losers}, f"{silent} left the pack, saved"
    assert {(one.iteration, one.final, one.fault) for one, _ in told.values()} == {
        (4, True, None),
        (8, True, None),
    }
    stop = Stop(4, stopper_mark(sweep), "halved: for a test")
    assert {trial: why for trial, (_, why) in told.items()} == {first: None, second: None} | dict.fromkeys(
        losers, stop
    )


@pytest.mark.usefixtures("choosy")
def test_what_raises_after_a_stopper_has_spoken_ends_whom_it_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = small_sweep(tmp_path, stopping={"name": "choosy"})
    first, second = configs(sweep)
    troubles = iter([RuntimeError("a cosmic ray")])

    def troubled(population: Population, plan: ReadingPlan, final: bool) -> list[Evaluation]:
        trouble = next(troubles, None) if final else None
        if trouble is not None:
            raise trouble
        return evaluate(population, plan, final)

    monkeypatch.setattr("trainables.evaluation.evaluate.evaluate", troubled)
    told = worked(PackWork(order(sweep)))
    last = {trial: one for _, evaluations in told for trial, one in evaluations.items()}
    assert {trial: (one.iteration, one.final) for trial, (one, _) in last.items()} == {
        first: (4, True),
        second: (8, True),
    }
    assert {trial: stop for trial, (_, stop) in last.items()} == {
        first: Stop(4, stopper_mark(sweep), "chosen"),
        second: None,
    }


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


@pytest.mark.parametrize(("fits", "parts"), [(2, [2, 2, 1]), (9, [5])])
def test_a_pack_trains_as_many_at_a_time_as_was_measured_to_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fits: int, parts: list[int]
) -> None:
    sweep = small_sweep(tmp_path, seeds=5, space={"objective.lam": [1]})
    sizes: list[int] = []
    train = Meter.train

    def watched(self: Meter, population: Any, trials: Sequence[str], iterations: int) -> float:
        sizes.append(len(trials))
        return train(self, population, trials, iterations)

    monkeypatch.setattr(Meter, "train", watched)
    monkeypatch.setattr("explorer.launch.parts._WORTH_MEASURING", 1)
    # Measured for real; of memory there is as much as so many need.
    monkeypatch.setattr("trainables.training.sizing._fitting", lambda measured, room: (fits, 2**30))
    # How fast they are is for the moment to say, and what follows from it for tests of sizing.
    monkeypatch.setattr("trainables.training.sizing._sooner", lambda measured, size: size)
    work = PackWork({**order(sweep), "measured": True})
    told, said = [], []
    while True:
        result = work.step()
        told += list(pickle.loads(result["payload"])) if "payload" in result else []
        said += result.get("said", [])
        if result["done"]:
            break
    assert set(told) == set(configs(sweep)), "every trial was trained and told"
    assert [size for size, _ in itertools.groupby(sizes)] == [size for size, _ in itertools.groupby(parts)]
    assert bool(said) == (len(parts) > 1)
    if said:
        assert said[0].startswith("5 trials of a pack train 2 at a time: each takes about 1.0 GiB, of ")
