"""The command ``tradeoff``. Nothing heavy is imported until a command runs."""

from __future__ import annotations

import sys

import typer

from explorer.cli.app import app_command
from explorer.cli.front import front
from explorer.cli.measure import measure
from explorer.cli.mlflow import mlflow
from explorer.cli.presets import presets
from explorer.cli.reproduce import reproduce
from explorer.cli.sweep import sweep
from explorer.cli.theory import theory
from explorer.errors import UserError

__all__ = ["command_line", "main"]

command_line = typer.Typer(
    name="tradeoff",
    help="Sweep the precision-recall trade-off of generative models; explore the fronts.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
command_line.command()(sweep)
command_line.command()(presets)
command_line.command()(front)
command_line.command("app")(app_command)
command_line.command()(mlflow)
command_line.command()(measure)
command_line.command()(theory)
command_line.command()(reproduce)


def main() -> None:
    """Run the command line; a user's error is one sentence and exit code 2."""
    try:
        command_line()
    except UserError as error:
        print(f"tradeoff: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("tradeoff: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
