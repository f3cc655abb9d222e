"""``tradeoff export`` on a real store."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from explorer.cli import command_line
from explorer.errors import UserError
from tests.explorer.transfer.conftest import uri

__all__ = ["uri"]


def test_a_sweep_becomes_a_file(uri: str, tmp_path: Path) -> None:
    file = tmp_path / "ring.zip"
    done = CliRunner().invoke(
        command_line, ["export", "ring", str(file), "--no-artifacts", "--tracking-uri", uri]
    )
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.output == f"sweep ring, 6 trials, written to {file} ({file.stat().st_size:,} bytes)\n"


def test_what_cannot_be_written_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    refused = CliRunner().invoke(command_line, ["export", "ring", str(tmp_path / "ring.db")])
    assert isinstance(refused.exception, UserError)
    assert "must be a file that ends in .zip" in str(refused.exception)
