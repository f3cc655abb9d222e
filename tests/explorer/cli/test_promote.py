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
