"""The command line: every command has its help, a user's mistake is one sentence, and nothing heavy loads early."""

from __future__ import annotations

import subprocess
import sys

import pytest
from typer.testing import CliRunner

import explorer.cli
from explorer.cli import command_line, main
from explorer.errors import LONGEST_SENTENCE, UserError

COMMANDS = ["sweep", "presets", "front", "app", "mlflow", "measure", "theory", "reproduce"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_help(command: str) -> None:
    result = CliRunner().invoke(command_line, [command, "--help"])
    assert result.exit_code == 0
    assert f"tradeoff {command}" in result.output or command in result.output


def test_the_help_names_every_command() -> None:
    out = CliRunner().invoke(command_line, ["--help"]).output
    assert all(command in out for command in COMMANDS)


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (UserError("it is so"), 2, "tradeoff: it is so\n"),
        (KeyboardInterrupt(), 130, "tradeoff: interrupted\n"),
    ],
)
def test_endings_have_a_code_and_one_sentence(
    error: BaseException,
    code: int,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def failing(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(explorer.cli, "command_line", failing)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == code
    assert capsys.readouterr() == ("", told)


def test_a_reader_that_went_away_is_no_fault() -> None:
    done = subprocess.run(
        f"{sys.executable} -m explorer presets | true",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["sweep", "demo", "--seeds", "x" * 5000], "Invalid value for '--seeds'"),
        (["sweep"], "Missing argument"),
        (["sweep", "demo", "--" + "y" * 5000], "No such option"),
        (["z" * 5000], "No such command"),
    ],
)
def test_a_mistake_in_an_option_is_one_sentence_too(
    arguments: list[str], told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["tradeoff", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    sentence = capsys.readouterr().err
    assert ended.value.code == 2
    assert told in sentence
    assert sentence.count("\n") == 1
    assert len(sentence) <= LONGEST_SENTENCE + 20  # with the command's name
    assert sentence.rstrip().endswith("--help")
