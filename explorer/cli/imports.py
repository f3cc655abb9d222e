"""``tradeoff import ADDRESS`` and ``tradeoff import samples NAME``: what others made, into a store of ours."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from explorer import api
from explorer.cli.measuring import Classifier, Device, Features, Metrics, Neighbours, Seed
from explorer.cli.objectives import parse_objectives
from explorer.cli.progress import told
from explorer.errors import UserError, brief

if TYPE_CHECKING:
    from explorer.transfer import Arrival

__all__ = ["ADDRESS", "Imports", "import_address", "imports", "samples"]

ADDRESS = "address"
"""What is meant where no kind of import is named."""
NOTES = 5
"""Lines on what is otherwise here than there."""


class Imports(typer.core.TyperGroup):
    """``tradeoff import FILE`` is ``tradeoff import address FILE``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Whatever does not begin with the name of a command, or asks for help, is an address."""
        if not args or args[0] not in {*self.commands, *ctx.help_option_names}:
            args = [ADDRESS, *args]
        return super().parse_args(ctx, args)


imports = typer.Typer(
    cls=Imports,
    help="Take a sweep in: an archive, what others wrote, or samples of any model.",
    epilog="`tradeoff import FILE` is short for `tradeoff import address FILE`.",
    rich_markup_mode=None,
)

Name = Annotated[str | None, typer.Option("--name", help="What the sweep is called here, if not as there.")]
Goals = Annotated[
    str | None, typer.Option("--goals", help="Objectives of the sweep, as 'precision max, fid min'.")
]
Store = Annotated[str | None, typer.Option("--tracking-uri", help="MLflow store to write to.")]
Place = Annotated[str | None, typer.Option("--experiment", help="Experiment of it, made if need be.")]


@imports.command(ADDRESS)
def import_address(
    address: Annotated[
        str,
        typer.Argument(
            help="An archive of `tradeoff export`, a CSV file, an Optuna storage, a folder of Ray Tune's results, or "
            "an MLflow store."
        ),
    ],
    name: Name = None,
    sweep: Annotated[
        str | None, typer.Option("--sweep", help="Which sweep, study or experiment, where there are several.")
    ] = None,
    goals: Goals = None,
    tracking_uri: Store = None,
    experiment: Place = None,
) -> None:
    """Take in what is at an address, each trial once; done again, it writes what is new."""
    chosen = parse_objectives(goals)
    _announce(tracking_uri)
    with told("reading") as stage:
        found = api.import_sweep(address, name, sweep, _mapping(chosen), tracking_uri, experiment, stage)
    _tell(found, tracking_uri, experiment)


@imports.command("samples")
def samples(
    name: Annotated[str, typer.Argument(help="The sweep, made or extended.")],
    real: Annotated[
        Path, typer.Option("--real", help="Real samples: .npy, .npz or .pt, or a folder of images.")
    ],
    fake: Annotated[
        list[Path] | None,
        typer.Option(
            "--fake",
            help="Generated samples, likewise: one trial. May be repeated.",
        ),
    ] = None,
    param: Annotated[
        list[str] | None,
        typer.Option("--param", help="key=value, what tells the trial from others; may be repeated."),
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option(
            "--table", help="Many trials: a CSV file with a column 'fake'; all others are parameters."
        ),
    ] = None,
    features: Features = None,
    metrics: Metrics = None,
    k: Neighbours = 5,
    classifier: Classifier = "ensemble",
    device: Device = "auto",
    seed: Seed = 0,
    goals: Goals = None,
    tracking_uri: Store = None,
    experiment: Place = None,
) -> None:
    """Measure samples of any model and put them on a front; sets that are there are not measured again."""
    if bool(fake) == (table is not None):
        raise UserError(
            "samples are named by --fake, set by set, or by --table, and by one of the two; "
            f"got {'both' if fake else 'neither'}"
        )
    from explorer.transfer import SampleTrial, parse_params, read_list

    params = parse_params(param or ())
    trials = [SampleTrial(one, params) for one in fake] if fake else read_list(table or Path(), params)
    _announce(tracking_uri)
    with told("reading") as stage:
        found = api.import_samples(
            name,
            real,
            trials,
            objectives=_mapping(parse_objectives(goals)),
            metrics=metrics,
            features=features,
            k=k,
            classifier=classifier,
            seed=seed,
            device=device,
            tracking_uri=tracking_uri,
            experiment=experiment,
            stage=stage,
        )
    _tell(found, tracking_uri, experiment)


def _mapping(goals: Any) -> dict[str, str] | None:
    return None if goals is None else {goal.metric: goal.direction for goal in goals}


def _announce(tracking_uri: str | None) -> None:
    """A store that is made because its name was mistyped is told before there is something in it."""
    from explorer.store.addresses import asked_address, sqlite_file
    from explorer.store.database import told_if_new

    file = sqlite_file(asked_address(tracking_uri))
    if file is not None and (sentence := told_if_new(file, "this import")) is not None:
        print(f"tradeoff: {sentence}", file=sys.stderr, flush=True)


def _tell(found: Arrival, tracking_uri: str | None, experiment: str | None) -> None:
    """What came, and the command that shows it, with the place that was named for it."""
    from explorer.store.options import store_option

    place = store_option(found.uri) if tracking_uri else ""
    place += f" --experiment {shlex.quote(experiment)}" if experiment else ""
    print(f"{found.sentence()}; see it with `tradeoff front {found.sweep}{place}`")
    for note in found.notes[:NOTES]:
        print(f"tradeoff: {brief(note, 200)}", file=sys.stderr)
    if len(found.notes) > NOTES:
        print(f"tradeoff: and {len(found.notes) - NOTES} remarks more", file=sys.stderr)
