"""``tradeoff reproduce`` as a user meets it: the list, a page, and sentences for mistakes."""

from __future__ import annotations

import subprocess
import sys

import pytest
from typer import Typer
from typer.testing import CliRunner

from explorer.cli.reproduce import reproduce
from explorer.errors import UserError
from explorer.reproduce import REPRODUCTIONS


def run(*arguments):
    app = Typer()
    app.command()(reproduce)
    return CliRunner().invoke(app, list(arguments))


def test_the_list_names_every_figure():
    result = run()
    assert result.exit_code == 0
    assert all(entry.name in result.output and entry.place in result.output for entry in REPRODUCTIONS)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["thesis4.1"], "did you mean 'thesis-4.1'"),
        (["zzzzzz"], "for the list"),
        (["thesis-4.4", "--html", "no/such/folder/x.html"], "there is no folder"),
        (["thesis-4.4", "--html", "."], "is a folder; give a name in it"),
        (["--html", "x.html"], "needs a figure"),
    ],
)
def test_mistakes_get_a_sentence(arguments, words):
    result = run(*arguments)
    assert isinstance(result.exception, UserError)
    assert words in str(result.exception)


def test_one_figure_is_written_where_asked(tmp_path):
    target = tmp_path / "one.html"
    result = run("thesis-4.4", "--html", str(target))
    assert result.exit_code == 0, result.output
    text = target.read_text(encoding="utf-8")
    assert "Figure 4.4, page 59" in text
    assert text.count("plotly.js v") == 1


def test_a_paper_s_own_label_will_do_and_names_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("figure-4.4")
    assert result.exit_code == 0, result.output
    assert "Figure 4.4, page 59" in (tmp_path / "figure-4.4.html").read_text(encoding="utf-8")
    assert "table-6.1, figure-6.7, 6.7" in " ".join(run("--help").output.replace("│", " ").split())
    assert "table-6.1, figure-6.7, 6.7" in run().output


def test_the_command_module_imports_nothing_heavy():
    code = (
        "import sys, explorer.cli.reproduce; "
        "heavy = {'torch', 'ray', 'mlflow', 'plotly'} & set(sys.modules); print(heavy); sys.exit(bool(heavy))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
