"""``tradeoff promote`` on a real store."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from explorer.cli import command_line
from explorer.cli.promote import promote
from explorer.errors import UserError
from explorer.results.store import ResultStore
from explorer.store.schema import PROMOTED
from explorer.tracking import Tracker
from tests.explorer.tracking.modelled import SWEEP, modelled_store, trial_of
from tests.stores import empty_store


@pytest.fixture(scope="module")
def uri(tmp_path_factory: pytest.TempPathFactory) -> str:
    uri = empty_store(tmp_path_factory.mktemp("store"))
    tracker = Tracker(uri, "tests")
    tracker.open_sweep("demo", {"fid": "min"}, "", "", "{}")
    tracker.start([("aa11", {"seed": 0}), ("aa22", {"seed": 1}), ("bb", {"seed": 2})])
    for trial in ("aa11", "aa22"):
        tracker.log(trial, 1, {"fid": 1.0})
        tracker.finish(trial)
    return uri


def run(uri: str, *arguments: str) -> Result:
    app = typer.Typer()
    app.command()(promote)
    return CliRunner().invoke(app, [*arguments, "--tracking-uri", uri])


def tags(uri: str, trial: str) -> str | None:
    found = next(t for t in ResultStore(uri).table("demo") if t.id == trial)
    return ResultStore(uri).whole_run(found.run_id).tags.get(PROMOTED)


def test_a_trial_is_promoted_by_how_it_begins_and_that_is_undone(uri: str) -> None:
    done = run(uri, "demo", "aa1", "--tag", "best")
    assert (done.exit_code, done.output) == (0, "aa11 is best\n")
    assert '"best"' in (tags(uri, "aa11") or "")
    assert tags(uri, "aa22") is None
    undone = run(uri, "demo", "aa11", "--undo")
    assert (undone.exit_code, undone.output) == (0, "aa11 is no longer best\n")
    assert tags(uri, "aa11") is None


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("demo", "aa"), "which 2 of 3 trials do"),
        (("demo", "nobody"), "which none of 3 trials do"),
        (("demo", "bb"), "a trial is promoted once it is finished, and bb of sweep 'demo' is running"),
        (("demo", "aa22", "--undo"), "is not promoted, so nothing is undone"),
        (("demo", "aa22", "--tag", "no word"), "a promotion's tag is letters"),
        (("other", "aa11"), "no sweep 'other'"),
    ],
)
def test_what_cannot_be_promoted_is_refused(uri: str, arguments: tuple[str, ...], sentence: str) -> None:
    refused = run(uri, *arguments)
    assert isinstance(refused.exception, UserError)
    assert sentence in str(refused.exception)


def test_the_command_is_among_the_others(tmp_path: Path) -> None:
    assert "promote" in {
        command.name or command.callback.__name__ for command in command_line.registered_commands
    }  # type: ignore[union-attr]


@pytest.fixture(scope="module")
def modelled(tmp_path_factory: pytest.TempPathFactory) -> str:
    return modelled_store(tmp_path_factory.mktemp("models"))


def test_a_run_is_registered_by_itself_and_once(modelled: str) -> None:
    run_id = trial_of(modelled, "aaaa050").run_id
    for named in ((run_id,), ("aaaa050",), (SWEEP, "aaaa050")):
        done = run(modelled, *named, "--name", "ring", "--alias", "champion")
        assert done.exit_code == 0, done.output
        assert done.output.startswith("aaaa050 is version 1 of ring, alias champion")


def test_the_knee_and_the_best_within_a_bound_are_registered(modelled: str) -> None:
    for options in (("--knee", SWEEP), (SWEEP, "--at", "recall=0.75")):
        done = run(modelled, *options, "--name", "picked", "--budget", "1")
        assert done.output.startswith("aaaa100 is version 1 of picked"), (done.output, done.exception)


def test_without_a_name_what_is_picked_is_marked(modelled: str) -> None:
    done = run(modelled, "--knee", SWEEP, "--tag", "knee")
    assert done.output == "aaaa100 is knee\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "a trial must be named to be promoted"),
        (("--at", "recall=0.8"), "--at needs a sweep to pick from"),
        ((SWEEP, "--at", "recall=2", "--name", "x"), "has recall ≥ 2; the best has"),
        ((SWEEP, "aaaa050", "--knee", SWEEP), "pick the trial themselves"),
        (("--knee", SWEEP, "--at", "recall=0.75"), "--knee and --at each pick a trial of their own"),
        ((SWEEP, "aaaa050", "--budget", "77"), "--budget and --method say at which reading"),
        ((SWEEP, "aaaa050", "--method", "obrs"), "--budget and --method say at which reading"),
        ((SWEEP, "aaaa050", "--tag", "best", "--name", "x"), "--tag is the word of a mark"),
        ((SWEEP, "aaaa050", "--undo", "--tag", "best"), "whatever its word; leave out --tag"),
        (("--knee", SWEEP, "--budget", "0"), "the budget"),
        ((SWEEP, "aaaa050", "--alias", "x"), "--alias belongs to a registered model"),
        ((SWEEP, "aaaa050", "--undo", "--name", "x"), "--undo takes a mark away"),
        ((SWEEP, "aaaa050", "--name", "a/b"), "a registered model's name is"),
        ((SWEEP, "aaaa051", "--name", "x"), "must hold a model to be registered"),
        ((SWEEP, "bbbb000", "--name", "x"), "once its trial is finished"),
        (("nobody", "--name", "x"), "which none of sqlite"),
        (("--knee", "nobody", "--name", "x"), "no sweep 'nobody'"),
        ((SWEEP, "aaaa050", "--name", "x", "--budget", "3"), "the budget must be one at which"),
    ],
)
def test_what_cannot_be_registered_is_refused(
    modelled: str, arguments: tuple[str, ...], sentence: str
) -> None:
    refused = run(modelled, *arguments)
    assert isinstance(refused.exception, UserError), refused.output
    assert sentence in str(refused.exception)
