"""The command ``tradeoff``. Nothing heavy is imported until a command runs."""

from __future__ import annotations

import atexit
import errno
import gc
import sys
from typing import Any, NoReturn

import typer

from explorer.cli.app import app_command
from explorer.cli.compare import compare
from explorer.cli.delete import delete
from explorer.cli.doctor import doctor
from explorer.cli.export import export
from explorer.cli.fill import fill
from explorer.cli.front import front
from explorer.cli.imports import imports
from explorer.cli.listing import list_sweeps
from explorer.cli.measure import measure
from explorer.cli.mlflow import mlflow
from explorer.cli.presets import presets
from explorer.cli.promote import promote
from explorer.cli.refine import refine
from explorer.cli.reproduce import reproduce
from explorer.cli.sample import sample
from explorer.cli.submit import submit
from explorer.cli.sweep import sweep
from explorer.cli.theory import theory
from explorer.errors import UserError, brief

__all__ = ["command_line", "main"]

command_line = typer.Typer(
    name="tradeoff",
    help="Sweep the precision-recall trade-off of generative models; explore the fronts.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
command_line.command()(sweep)
command_line.command()(submit)
command_line.command()(presets)
command_line.command("list")(list_sweeps)
command_line.command()(front)
command_line.command()(compare)
command_line.command()(fill)
command_line.command("app")(app_command)
command_line.command()(mlflow)
command_line.command()(promote)
command_line.command()(delete)
command_line.command()(export)
command_line.add_typer(imports, name="import")
command_line.command()(refine)
command_line.command()(sample)
command_line.command()(measure)
command_line.command()(theory)
command_line.command()(reproduce)
command_line.command()(doctor)


UsageError: Any = typer.BadParameter.__mro__[1]
"""What a command line is refused with; Typer gives only the one kind of it a public name."""


NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
"""A full disk, a used-up quota, a file system that only reads."""


def main() -> None:
    """Run the command line; a user's error, in an option as in a file, is one sentence and exit code 2."""
    # Imports make hundreds of thousands of objects that stay: looking for garbage among them finds none.
    gc.set_threshold(100_000)
    atexit.register(gc.freeze)  # nor among them at the end, for a second or two
    try:
        code = command_line(sys.argv[1:] or ["--help"], standalone_mode=False)
        sys.stdout.flush()  # here, where a full disk can still be told
    except UserError as error:
        _refuse(error)
    except UsageError as error:
        see = f"; see {error.ctx.command_path} --help" if error.ctx else ""
        _refuse(UserError(error.format_message().rstrip(".") + see))
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        where = f" to '{brief(str(error.filename))}'" if error.filename else ""
        sys.stdout = None  # what it still holds cannot be written at the end either
        _refuse(
            UserError(
                f"nothing can be written{where} ({error.strerror}); make room, then run the command again"
            )
        )
    if code == 130:
        print("tradeoff: interrupted", file=sys.stderr)
    sys.exit(code or 0)


def _refuse(error: UserError) -> NoReturn:
    print(f"tradeoff: {error}", file=sys.stderr)
    sys.exit(2)
