"""Work on a pack: trained to its end in strides, read at its evaluations, gone on with from any checkpoint."""

from __future__ import annotations

import itertools
import multiprocessing
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from explorer.launch.meter import Meter
from explorer.launch.pack_work import PackWork
from explorer.launch.packing import Orders, Pack, PlannedTrial
from tests.explorer.launch.packs import checkpoints, half_way, order, stepped, streamed_sweep, worked
from tests.explorer.launch.small import configs, small_sweep
from trainables.training.checkpoints import CheckpointFolder

pytestmark = pytest.mark.usefixtures("threads")


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


def test_a_pack_says_once_where_and_on_what_it_is_trained(tmp_path: Path) -> None:
    work = PackWork(order(small_sweep(tmp_path)))
    results = [work.step()]
    while not results[-1]["done"]:
        results.append(work.step())
    told = [result["origin"] for result in results if "origin" in result]
    assert len(told) == 1
    assert results[0]["origin"] == told[0]
    assert (told[0].name, told[0].tags["tradeoff.cuda"]) == ("gaussians8", "none")
    other = PackWork(order(small_sweep(tmp_path / "b", dataset={"name": "digits"})))
    digits = other.step()["origin"]
    other.close()
    assert digits.digest != told[0].digest
