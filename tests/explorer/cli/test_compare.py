"""``tradeoff compare``: tables, JSON, a page, and refusals that are one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from explorer.cli import command_line
from explorer.errors import UserError
from explorer.results.store import ResultStore
from tests.app.made_sweep import MADE, configs, made, write_sweep
from tests.stores import empty_store


@pytest.fixture(scope="module")
def uri(tmp_path_factory: pytest.TempPathFactory) -> str:
    uri = empty_store(tmp_path_factory.mktemp("store"))
    write_sweep(uri, MADE, [made(config) for config in configs((0.1, 10.0), 3)[:6]])
    return uri


@pytest.fixture(scope="module")
def ids(uri: str) -> list[str]:
    return [trial.id for trial in ResultStore(uri).table(MADE)]


def run(uri: str, *arguments: str) -> Result:
    return CliRunner().invoke(command_line, ["compare", *arguments, "--tracking-uri", uri])


def test_the_tables_tell_what_differs_by_how_much_and_how_surely(uri: str, ids: list[str]) -> None:
    lines = [" ".join(line.split()) for line in run(uri, ids[0], ids[3]).stdout.splitlines()]
    assert f"A λ 0.1 · seed 0 made {ids[0]} 3 seeds K = 1" in lines
    assert "objective.lam 0.1 10" in lines
    assert any(line.startswith("Precision ↑") and line.endswith("★") for line in lines)
    assert any(line.startswith("+0.") and line.endswith("▲ better") for line in lines)
    assert "Iterations 4,000 4,000" in lines
    assert any(line.startswith("B is better than A in precision") for line in lines)


def test_json_and_page(uri: str, ids: list[str], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = run(
        uri, ids[0], ids[3], "--json", "--metrics", "fid, recall", "--budget", "2", "--html", str(page)
    )
    found = json.loads(done.stdout)
    assert [metric["name"] for metric in found["metrics"]] == ["fid", "recall"]
    assert found["runs"][0]["budget"] == 2
    assert f"comparison written to {page}" in done.stderr
    assert page.stat().st_size > 1_000_000


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("A",), "a comparison takes 2 to 8 runs, got 1"),
        (("A", "nobody"), "no run is called 'nobody'"),
        (("A", "B", "--metrics", "fud"), "got 'fud'; did you mean 'fid'"),
        (("A", "B", "--metrics", ","), "metrics to compare must be named, got none"),
        (("A", "B", "--budget", "nan"), "the budget must be one at which sweep 'made' was read"),
        (("A", "B", "--budget", "7"), "the budget must be one at which sweep 'made' was read"),
        (("A", "B", "--method", "magic"), "the method must be one through which sweep 'made' was read"),
        (("A", "B", "--html", "/nowhere/page.html"), "there is no folder"),
        (("A", "B", "--experiment", "nobody's"), "no run is called"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    uri: str, ids: list[str], arguments: tuple[str, ...], sentence: str
) -> None:
    named = {"A": ids[0], "B": ids[3]}
    refused = run(uri, *(named.get(word, word) for word in arguments))
    assert isinstance(refused.exception, UserError)
    assert sentence in str(refused.exception)
