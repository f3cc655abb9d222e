"""The standing of a sweep: what is counted once, and the front against brute force."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from explorer.goals import parse_goals
from explorer.launch.packing import Pack, PlannedTrial
from explorer.launch.standing import Standing
from explorer.store.stop import Stop
from tests.explorer.launch.small import configs, made_up, small_sweep
from trainables.evaluation.reading import PLAIN, Evaluation, Reading

GOALS = parse_goals({"precision": "max", "recall": "max"})


def found(precision: float, recall: float) -> Evaluation:
    return Evaluation(8, True, (Reading(*PLAIN, {"precision": precision, "recall": recall}),))


@pytest.fixture
def packs(tmp_path: Path) -> tuple[Pack, Pack]:
    sweep = small_sweep(tmp_path, space={"objective.lam": [1, 2, 3, 4]})
    trials = [PlannedTrial(i, c, 0, 8) for i, c in configs(sweep).items()]
    return Pack(tuple(trials[:2])), Pack(tuple(trials[2:]))


def test_trials_are_counted_once_whoever_trains_them(packs: tuple[Pack, Pack]) -> None:
    standing = Standing(GOALS, 4, 32)
    first, second = packs
    standing.start("p", first)
    standing.start("q", second)
    assert (standing.running, standing.packs) == (4, 2)
    standing.start("again", first)  # its process died
    assert (standing.running, standing.packs) == (4, 2)
    standing.measure(first.trials[0].id, found(0.5, 0.5), Stop(8, "x", "halved: no"))
    standing.measure(first.trials[0].id, found(0.5, 0.5), None)
    standing.fail([t.id for t in first.trials], "lost")
    assert (standing.ended, standing.finished, standing.running, standing.packs) == (2, 1, 2, 1)
    assert (dict(standing.stopped), dict(standing.failed)) == ({"halved": 1}, {"lost": 1})
    standing.measure(second.trials[0].id, made_up(4, False, diverged="nan"), None)
    assert dict(standing.failed) == {"lost": 1, "nan": 1}


def test_the_front_so_far_and_its_volume() -> None:
    standing = Standing(GOALS, 4, 32)
    assert standing.front() == (0, 0.0)
    for index, (precision, recall) in enumerate([(0.2, 0.8), (0.6, 0.4), (0.1, 0.1), (math.nan, 1.0)]):
        standing.measure(str(index), found(precision, recall), None)
    size, volume = standing.front()
    assert size == 2
    assert volume == pytest.approx(0.1 * 0.7 + 0.4 * 0.3), "up to the worst of each, 0.1 and 0.1"
    assert standing.document()["hypervolume"] == volume
    many = Standing(parse_goals(dict.fromkeys("abcd", "max")), 1, 1)
    many.measure("x", Evaluation(8, True, (Reading(*PLAIN, dict.fromkeys("abcd", 0.5)),)), None)
    assert many.front()[0] == 1
    assert many.document()["hypervolume"] is None, "it would take too long on the way"


def test_share_and_time_left() -> None:
    standing = Standing(GOALS, 4, 100)
    assert (standing.share, standing.left) == (0.0, None)
    standing.advance("p", 50)
    assert standing.done == 0, "of a pack that nobody started"
    standing.start("p", Pack(()))
    standing.advance("p", 50)
    assert standing.share == 0.5
    assert standing.left is not None
    for trial in "abcd":
        standing.measure(trial, found(0.5, 0.5), None)
    assert standing.share == 1.0, "stopped early, all are over"
