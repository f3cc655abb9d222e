"""``tradeoff theory`` as a user meets it: tables, JSON, a page, and sentences for mistakes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from explorer.cli.theory import theory
from explorer.errors import UserError

APP = typer.Typer()
APP.command()(theory)
LAWS = ["--real", "0.5,0.3,0.2", "--model", "0.2,0.2,0.6"]


def run(*arguments: str) -> str:
    result = CliRunner().invoke(APP, list(arguments), env={"COLUMNS": "200"}, catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_json_has_the_promised_keys() -> None:
    document = json.loads(run(*LAWS, "--json", "--lambdas", "0.5,1,2", "--budget", "2"))
    names = {"kl", "reverse_kl", "tv", "jeffreys", "js", "chi2", "hellinger"}
    assert set(document["divergences"]) == names
    assert {"pr_divergence", "curve", "auc", "f8", "f1_8", "refined"} <= set(document)
    assert {"budget", "constant", "acceptance", "curve"} <= set(document["refined"])
    assert [set(row) for row in document["pr_divergence"]] == [{"lambda", "value"}] * 3
    for curve in (document["curve"], document["refined"]["curve"]):
        assert [set(row) for row in curve] == [{"lambda", "precision", "recall"}] * 3
        assert [row["lambda"] for row in curve] == [0.5, 1.0, 2.0]
    assert document["refined"]["acceptance"] == pytest.approx(0.5, abs=1e-9)


def test_the_table_says_the_same() -> None:
    printed = run(*LAWS)
    for word in (
        "0.4000",
        "total variation",
        "F8 0.9774",
        "F1/8 0.9701",
        "accepts 50.00%",
        "order α",
        "66.67%",
    ):
        assert word in printed


def test_fractions_are_welcome() -> None:
    document = json.loads(run("--real", "1/3, 1/3, 1/3", "--model", "1/2,1/4,1/4", "--json"))
    assert document["divergences"]["tv"] == pytest.approx(1 / 6)


def test_a_page_is_written_and_announced_beside_the_output(tmp_path: Path) -> None:
    path = tmp_path / "theory.html"
    assert run(*LAWS, "--html", str(path)) == ""
    assert "<title>Two laws compared" in path.read_text(encoding="utf-8")
    assert json.loads(run(*LAWS, "--html", str(path), "--json"))["auc"] == pytest.approx(0.7314, abs=1e-4)


@pytest.mark.parametrize(
    ("real", "model", "message"),
    [
        ("0.5,0.6", "0.5,0.5", r"real must sum to 1, got 1\.1"),
        ("1.5,-0.5", "0.5,0.5", r"real must be ≥ 0, got -0\.5"),
        ("0.5,0.5", "1", "same number of probabilities, got 2 and 1"),
        ("0.5,half", "0.5,0.5", "numbers separated by commas, got 'half'"),
        ("0.5,1/0", "0.5,0.5", "got '1/0'"),
        ("nan,1", "0.5,0.5", "got 'nan'"),
        ("", "1", "got ''"),
    ],
)
def test_mistakes_get_a_sentence(real: str, model: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        CliRunner().invoke(APP, ["--real", real, "--model", model], catch_exceptions=False)


def test_importing_the_command_imports_nothing_heavy() -> None:
    code = "import sys, explorer.cli.theory; print([m for m in ('torch', 'plotly', 'numpy') if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
