"""What a store knows of a sweep: a trial is over when it has ended and has every reading that is asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from explorer.launch.earlier import Earlier, earlier_trials, stopper_mark, wanted_marks
from explorer.launch.outcomes import Settled
from explorer.launch.recorder import metrics_of
from explorer.store.schema import PLAIN, At
from explorer.store.stop import Stop
from tests.explorer.launch.small import configs, finish, made_up, small_sweep, tracker
from tests.trainables.evaluation.images import SmallDigits
from trainables.datasets import DATASETS


def test_a_stop_survives_its_tag_and_anything_else_is_none() -> None:
    stop = Stop(500, "abc", "no goal improved")
    assert Stop.parse(stop.text()) == stop
    assert json.loads(stop.text()) == {"iteration": 500, "by": "abc", "reason": "no goal improved"}
    for other in (
        None,
        "",
        "plateau",
        "[]",
        "3",
        '{"iteration": 5}',
        '{"iteration": "x", "by": "", "reason": ""}',
    ):
        assert Stop.parse(other) is None


def test_a_store_that_is_not_there_knows_nothing(tmp_path: Path) -> None:
    assert earlier_trials(small_sweep(tmp_path)) == Earlier()
    assert list(tmp_path.iterdir()) == [], "and is not made"


def test_every_ending_is_told_apart(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, seeds=3)
    done, diverged, failed, killed, running, fresh = configs(sweep)
    opened = tracker(sweep)
    finish(opened, sweep, done)
    opened.start([(trial, configs(sweep)[trial].params()) for trial in (diverged, failed, killed)])
    opened.fail(diverged, "not finite", "diverged")
    opened.fail(failed, "MemoryError: too large")
    opened.close_sweep(interrupted=True)
    opened = tracker(sweep)
    opened.start([(running, configs(sweep)[running].params())])
    known = earlier_trials(sweep)
    assert set(known.settled) == {done, diverged}
    assert known.finished == {done}
    assert known.settled[diverged] == Settled({}, "not finite")
    assert known.settled[done].metrics["precision"] == 0.5
    assert known.present == {done, diverged, failed, killed, running}
    assert fresh not in known.present
    assert known.lost == ()


def test_a_reading_that_is_missing_leaves_a_trial_open(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path)
    first, second = configs(sweep)
    opened = tracker(sweep)
    finish(opened, sweep, first)
    finish(opened, sweep, second)
    assert set(earlier_trials(sweep).settled) == {first, second}
    for less in ({"budgets": [1]}, {"name": "none"}, {"budgets": [2]}):
        assert set(earlier_trials(small_sweep(tmp_path, refinement=less)).settled) == {first, second}
    more = earlier_trials(small_sweep(tmp_path, refinement={"budgets": [2, 3]}))
    assert (more.settled, more.finished) == ({}, {first, second})
    assert earlier_trials(small_sweep(tmp_path, evaluation={"samples": 41})).settled == {}
    often = {"samples": 40, "every": 2}
    assert set(earlier_trials(small_sweep(tmp_path, evaluation=often)).settled) == {first, second}, (
        "how often is no matter"
    )


def test_a_trial_that_another_stopper_ended_goes_on(tmp_path: Path) -> None:
    plateau = {"name": "plateau", "patience": 1}
    sweep = small_sweep(tmp_path, stopping=plateau)
    first, second = configs(sweep)
    opened = tracker(sweep)
    finish(opened, sweep, first, Stop(4, stopper_mark(sweep), "still").text())
    finish(opened, sweep, second)
    same = earlier_trials(sweep)
    assert set(same.settled) == {first, second}
    assert same.stops == {first: 4}
    for other in ({"name": "none"}, {"name": "plateau", "patience": 2}):
        known = earlier_trials(small_sweep(tmp_path, stopping=other))
        assert set(known.settled) == {second}
        assert known.stops == {}
    goals = {"objectives": {"fid": "min"}}
    assert earlier_trials(small_sweep(tmp_path, stopping=plateau, search=goals)).stops == {}, (
        "it looked at other goals"
    )


def test_marks_are_those_of_the_plan(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path)
    marks = wanted_marks(sweep)
    assert set(marks) == {PLAIN, At("obrs", 2.0)}
    assert wanted_marks(small_sweep(tmp_path, space=None, seeds=4)) == marks


def test_another_sweep_of_the_store_is_not_looked_at(tmp_path: Path) -> None:
    finish(tracker(sweep := small_sweep(tmp_path)), sweep, next(iter(configs(sweep))))
    assert earlier_trials(small_sweep(tmp_path, name="other")) == Earlier()


def _layout_1(sweep_folder: Path, params: dict[str, object], **tags: str) -> str:
    """A run as layout 1 wrote it; its identity."""
    from mlflow import MlflowClient

    sweep = small_sweep(sweep_folder)
    opened = tracker(sweep)
    opened.start([("old", params)])  # type: ignore[list-item]
    opened.log(
        "old", 8, {"precision": 0.5, "recall": 0.5, "fid": 1.0, "K2/precision": 0.75, "K1/acceptance": 1.0}
    )
    opened.finish("old")
    run = opened._children["old"].run_id
    MlflowClient(sweep.tracking.uri).delete_tag(run, "tradeoff.layout")
    return run


def test_runs_of_layout_1_are_known_under_their_names_of_today(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path)
    first = next(iter(configs(sweep)))
    params = {**configs(sweep)[first].params(), "refinement.budgets": "[1.0, 2.0]", "evaluation.samples": 40}
    params |= {"evaluation.k": 3, "evaluation.every": 4}
    _layout_1(tmp_path, params)  # type: ignore[arg-type]
    known = earlier_trials(sweep)
    assert known.renamed == {first: "old"}
    assert known.marks[first] == wanted_marks(sweep)
    assert set(known.settled) == {first}
    assert known.present == {first}


@pytest.mark.parametrize(
    "stranger", [{"objective.name": "unheard"}, {"model.name": "mlp_gan", "model.depth": 3}]
)
def test_a_run_that_no_config_of_today_describes_is_lost_but_stays(
    tmp_path: Path, stranger: dict[str, object]
) -> None:
    _layout_1(tmp_path, stranger)
    known = earlier_trials(small_sweep(tmp_path))
    assert known.lost == ("old",)
    assert (known.settled, known.renamed, known.present) == ({}, {}, frozenset())


def test_a_run_of_layout_1_beside_its_own_of_today_is_lost(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path)
    first = next(iter(configs(sweep)))
    _layout_1(tmp_path, configs(sweep)[first].params())  # type: ignore[arg-type]
    finish(tracker(sweep), sweep, first)
    known = earlier_trials(sweep)
    assert (known.renamed, known.lost) == ({}, ("old",))
    assert set(known.settled) == {first}


def test_the_made_up_evaluation_is_read_as_the_sweep_asks() -> None:
    assert [r.key for r in made_up(8, final=True).readings] == [tuple(PLAIN), ("obrs", 2.0)]


@pytest.fixture
def digits() -> None:
    """The tests' own digits among the datasets."""
    DATASETS.add(SmallDigits)


@pytest.mark.usefixtures("digits")
def test_each_trial_is_wanted_in_the_features_of_its_own_dataset(tmp_path: Path) -> None:
    both = {"dataset.name": ["gaussians8", "small_digits"]}
    sweep = small_sweep(tmp_path, space=both, model={"name": "mlp_gan", "generator": [4], "critic": [4]})
    trials = {config.dataset.name: (trial, config) for trial, config in configs(sweep).items()}
    marks = {name: wanted_marks(sweep, config.dataset) for name, (_, config) in trials.items()}
    assert not set(marks["gaussians8"].values()) & set(marks["small_digits"].values())
    assert wanted_marks(sweep) == marks["gaussians8"], "the dataset that the file names"
    opened = tracker(sweep)
    for trial, config in trials.values():
        opened.start([(trial, config.params())])
        opened.log(trial, 8, metrics_of(made_up(8, final=True)), marks[config.dataset.name])
        opened.finish(trial)
    assert set(earlier_trials(sweep).settled) == set(configs(sweep))
    pixels = {"samples": 40, "every": 4, "features": "identity"}
    again = small_sweep(tmp_path, space=both, evaluation=pixels, model=dict(sweep.sections["model"]))
    assert set(earlier_trials(again).settled) == {trials["gaussians8"][0]}, "digits are to be read again"
