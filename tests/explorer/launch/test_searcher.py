"""Ray Tune is handed pack after pack until the search is over, each with all that a worker needs."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from ray.tune.search import Searcher

from explorer.launch.earlier import Earlier
from explorer.launch.ledger import Ledger
from explorer.launch.outcomes import Settled
from explorer.launch.packing import Orders, Pack
from explorer.launch.searcher import PackSearcher
from explorer.search.points.source import GridSource
from explorer.sweep.sweep import Sweep
from tests.explorer.launch.small import configs, small_sweep


def searcher(sweep: Sweep, points: int, limit: int, known: Earlier | None = None) -> PackSearcher:
    ledger = Ledger(sweep, GridSource(sweep.space), known or Earlier(), lambda trial: 0)
    return PackSearcher(ledger, Orders.of(sweep), points, limit, {"cpus": 1.0, "stopper": "abc"})


def suggested(searching: PackSearcher) -> list[Pack]:
    packs = []
    while isinstance(config := searching.suggest(str(len(packs))), dict):
        assert (config["cpus"], config["stopper"]) == (1.0, "abc")
        packs.append(Pack.from_json(config["pack"])[0])
    assert config == Searcher.FINISHED
    return packs


def test_every_trial_is_handed_out_once_then_it_is_finished(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, seeds=3)
    for points, limit, sizes in ((10, 4, [3, 3]), (1, 64, [3, 3]), (10, 64, [6]), (1, 2, [2, 1, 2, 1])):
        packs = suggested(searcher(sweep, points, limit))
        assert [len(pack.trials) for pack in packs] == sizes
        assert {t.id for pack in packs for t in pack.trials} == set(configs(sweep))


def test_points_that_need_no_work_are_passed_over(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path)
    first, second = configs(sweep)
    (pack,) = suggested(searcher(sweep, 1, 64, Earlier({first: Settled({"fid": 1.0})})))
    assert [t.id for t in pack.trials] == [second]
    assert (
        suggested(searcher(sweep, 1, 64, Earlier({t: Settled({"fid": 1.0}) for t in (first, second)}))) == []
    )


@pytest.mark.parametrize("points", [1, 10])
def test_tune_is_asked_to_wait_while_all_is_held_back_for_a_base(tmp_path: Path, points: int) -> None:
    sweep = small_sweep(tmp_path, base={"objective": {"name": "gan"}}, start={"from": "base"})
    there: dict[str, int] = {}
    ledger = Ledger(sweep, GridSource(sweep.space), Earlier(), lambda trial: there.get(trial, 0))
    searching = PackSearcher(ledger, Orders.of(sweep), points, 64, {})
    config = searching.suggest("p")
    assert isinstance(config, dict)
    (base,) = Pack.from_json(config["pack"])[0].trials
    assert base.config.start is None
    assert [searching.suggest("q") for _ in range(3)] == [None] * 3
    assert len(ledger.planned) == min(points, 2), "a search that learns is not asked on meanwhile"
    there[base.id] = 2000
    ledger.settle(base.id, Settled({"fid": 1.0}))
    later = []
    while isinstance(config := searching.suggest("q"), dict):
        later += Pack.from_json(config["pack"])[0].trials
    assert config == Searcher.FINISHED
    assert {t.id: t.config for t in later} == configs(sweep)
    assert {t.base for t in later} == {2000}, "where the state of the base lies"


def test_a_worker_gets_the_orders_of_the_sweep(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, stopping={"name": "plateau", "patience": 5})
    config = searcher(sweep, 10, 64).suggest("p")
    assert isinstance(config, dict)
    assert Pack.from_json(config["pack"])[1] == Orders.of(sweep)


def test_tune_may_pickle_save_and_complete_it(tmp_path: Path) -> None:
    searching = searcher(small_sweep(tmp_path), 10, 64)
    pickle.dumps(searching)
    searching.save(str(tmp_path / "x"))
    searching.restore(str(tmp_path / "x"))
    searching.on_trial_complete("p", {}, error=True)
    assert not (tmp_path / "x").exists()
