"""``tradeoff measure`` as a command: JSON on the output, a table otherwise, no heavy imports for help."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from explorer.cli.measure import measure
from explorer.errors import UserError

command = typer.Typer()
command.command()(measure)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))
    rng = np.random.default_rng(0)
    np.save(tmp_path / "real.npy", rng.normal(size=(120, 2)))
    np.save(tmp_path / "fake.npy", rng.normal(size=(150, 2)) / 2)
    return [str(tmp_path / "real.npy"), str(tmp_path / "fake.npy")]


def test_json(files):
    result = CliRunner().invoke(command, [*files, "--json", "--metrics", "precision,recall", "--k", "3"])
    assert result.exit_code == 0, result.output
    values = json.loads(result.stdout)
    assert list(values) == ["precision", "recall", "settings"]
    assert values["precision"]["value"] > values["recall"]["value"]  # narrow fakes: precise, not diverse
    assert values["settings"]["k"] == 3


def test_the_classifier_of_the_curve_is_chosen(files):
    asked = [*files, "--json", "--metrics", "classifier", "--classifier"]
    narrow = json.loads(CliRunner().invoke(command, [*asked, "knn"]).stdout)
    line = json.loads(CliRunner().invoke(command, [*asked, "logistic"]).stdout)
    assert narrow["settings"]["classifier"] == {"learner": "knn"}
    assert narrow["classifier"]["auc"]["value"] < line["classifier"]["auc"]["value"]
    told = CliRunner().invoke(command, [*files, "--classifier", "nearest"])
    assert str(told.exception).startswith(
        "classifier must be one of ensemble, logistic, mlp, knn, got 'nearest'"
    )


def test_the_help_names_every_classifier():
    from trainables.metrics.learners import LEARNERS

    shown = CliRunner().invoke(command, ["--help"]).stdout
    assert all(name in shown for name in LEARNERS)


def test_table_and_page(files, tmp_path):
    page = tmp_path / "out.html"
    result = CliRunner().invoke(command, [*files, "--metrics", "fid,coverage", "--html", str(page)])
    assert result.exit_code == 0, result.output
    assert "coverage" in result.stdout
    assert "120 real, 150 fake" in result.stdout
    assert page.stat().st_size > 500


def test_a_page_without_a_folder_is_refused_before_work(files, tmp_path):
    result = CliRunner().invoke(command, [*files, "--html", str(tmp_path / "no" / "page.html")])
    assert "there is no folder" in str(result.exception)
    result = CliRunner().invoke(command, [*files, "--html", str(tmp_path)])
    assert "is a folder; give a name in it" in str(result.exception)
    result = CliRunner().invoke(command, [*files, "--html", "x" * 300])
    assert "255 a name" in str(result.exception)
    assert not (tmp_path / "home").exists()


def test_bad_input_is_one_sentence_and_exit_code_2(files):
    code = "from explorer.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "measure", files[0], files[1], "--k", "200", "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("tradeoff: k=200 needs more than 600 samples")
    assert done.stderr.count("\n") == 1


def test_errors_reach_the_command_line(files):
    result = CliRunner().invoke(command, [*files, "--metrics", "speed"])
    assert isinstance(result.exception, UserError)
    result = CliRunner().invoke(command, [files[0], files[1] + "x"])
    assert "does not exist" in str(result.exception)


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("explorer.cli.measure", ("torch", "ray", "mlflow", "plotly", "numpy", "scipy")),
        ("explorer.measure", ("torch", "ray", "mlflow", "plotly", "scipy")),
    ],
)
def test_help_imports_nothing_heavy(module, heavy):
    code = f"import sys; import {module}; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
