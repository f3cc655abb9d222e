"""``tradeoff import`` and ``tradeoff import samples`` on real stores, and fronts of what came."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from explorer.cli import command_line
from explorer.errors import UserError
from tests.explorer.transfer.conftest import made, uri
from tests.stores import empty_store

__all__ = ["made", "uri"]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(command_line, [str(one) for one in arguments])


def test_an_archive_and_a_table_come_by_their_address(made: Path, tmp_path: Path) -> None:
    there = empty_store(tmp_path)
    done = run("import", made, "--tracking-uri", there)
    assert (done.exit_code, done.stdout) == (
        0,
        f"sweep ring: 6 trials imported; see it with `tradeoff front ring --tracking-uri {there}`\n",
    )
    again = run("import", "address", made, "--tracking-uri", there, "--name", "second")
    assert again.stdout.startswith("sweep second: 6 trials imported")
    ours = run("front", "ring", "--csv", "--tracking-uri", there)
    (tmp_path / "t.csv").write_text(ours.stdout)
    done = run("import", tmp_path / "t.csv", "--goals", "precision max, recall max", "--tracking-uri", there)
    assert done.exit_code == 0
    fronts = [
        json.loads(run("front", *named, "--json").stdout)
        for named in (
            ("ring", "--tracking-uri", there),
            ("t", "--tracking-uri", there),
            ("--from", tmp_path / "t.csv", "--goals", "precision max, recall max"),
        )
    ]
    assert len({front["hypervolume"] for front in fronts}) == 1
    assert len({tuple(t["id"] for t in front["trials"] if t["on_front"]) for front in fronts}) == 1

    both = run("front", "ring", "second", "--tracking-uri", there, "--json")
    assert both.stderr == "tradeoff: numbers of several sweeps compare where they were measured alike\n"
    assert len(json.loads(both.stdout)["trials"]) == 12


def test_samples_are_measured_and_named_alone_or_in_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))
    there, rng = empty_store(tmp_path), np.random.default_rng(0)
    for name in ("real", "a", "b"):
        np.save(tmp_path / f"{name}.npy", rng.normal(size=(60, 2)))
    (tmp_path / "sets.csv").write_text("fake,lam\na.npy,1\nb.npy,2\n")
    choices = ("--real", tmp_path / "real.npy", "--metrics", "precision,recall", "--tracking-uri", there)
    done = run("import", "samples", "mine", "--fake", tmp_path / "a.npy", "--param", "lam=1", *choices)
    assert (done.exit_code, done.stdout.split(";")[0]) == (0, "sweep mine: 1 trial imported")
    done = run("import", "samples", "mine", "--table", tmp_path / "sets.csv", *choices)
    assert done.stdout.split(";")[0] == "sweep mine: 1 trial imported, 1 trial there already"
    both = ("--fake", tmp_path / "a.npy", "--fake", tmp_path / "b.npy", "--param", "lam=3")
    done = run("import", "samples", "mine", *both, *choices)
    assert done.stdout.split(";")[0] == "sweep mine: 2 trials imported"
    for wrong in (("--fake", "x", "--table", "y"), ()):
        refused = run("import", "samples", "mine", *wrong, *choices)
        assert "by one of the two" in str(refused.exception)


def test_a_store_that_an_import_makes_is_told_before(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))
    empty_store(tmp_path)
    new = tmp_path / "mlfow.db"
    line = f"tradeoff: there is no tracking store '{new}' yet, so this import makes it; did you mean 'mlflow.db'?"
    assert run("import", made, "--tracking-uri", f"sqlite:///{new}").stderr.splitlines()[0] == line
    again = run("import", made, "--tracking-uri", f"sqlite:///{new}")
    assert (again.exit_code, again.stderr) == (0, "")
    new.unlink()
    sets = ("--real", tmp_path / "none.npy", "--fake", tmp_path / "none.npy")
    refused = run("import", "samples", "mine", *sets, "--tracking-uri", f"sqlite:///{new}")
    assert refused.stderr.splitlines()[0] == line
    assert not new.exists()
    assert run("import", made).stderr == "", "the usual store is made as it is needed"
    refused = run("import", made, "--tracking-uri", f"sqlite:///{tmp_path}/none/mlflow.db")
    assert "must lie in a folder that is there" in str(refused.exception)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("import", "none.csv"), "there is no file 'none.csv'"),
        (("import", "none.csv", "--goals", "fid"), "goals are metrics, each once with max or min"),
        (("front",), "a front is that of a sweep, and none is named"),
        (("front", "--from", "none.csv", "--tracking-uri", "x"), "--from names all that is read"),
    ],
)
def test_what_is_wrong_is_a_sentence(arguments: tuple[str, ...], sentence: str) -> None:
    refused = run(*arguments)
    assert isinstance(refused.exception, UserError)
    assert sentence in str(refused.exception)


def test_help_and_missing_words_are_those_of_the_command() -> None:
    shown = run("import", "--help")
    assert "samples" in shown.output
    assert "short for `tradeoff import address FILE`" in shown.output
    assert "Missing argument" in str(run("import").output) + str(run("import").exception)
