"""Sweeps: loaded, planned and run."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from explorer.api.arguments import flag, is_path, text_or_none
from explorer.errors import UserError, shown

if TYPE_CHECKING:
    from explorer.launch.plan import Plan
    from explorer.launch.run import Outcome
    from explorer.sweep import Sweep

__all__ = ["Source", "load_sweep", "plan", "presets", "run_sweep"]

Source = str | os.PathLike[str] | Mapping[str, Any]
"""A sweep file, the name of a preset, or what a sweep file holds."""


def presets() -> dict[str, str]:
    """Names of the sweeps that ship with the package, each with what it shows.

    >>> "demo" in te.presets()
    True
    """
    from explorer.sweep import list_presets

    return list_presets()


def load_sweep(
    source: Source,
    changes: Mapping[str, Any] | None = None,
    trials: int | None = None,
    seeds: int | Sequence[int] | None = None,
) -> Sweep:
    """A sweep from a file, a preset or a mapping with the keys of a sweep file; refuses what could not run.

    ``changes`` are values by dotted path, as for ``tradeoff sweep --set``. ``trials`` is the most trials to run,
    ``seeds`` how many repeats every point has, or which.

    >>> quick = te.load_sweep("demo", {"name": "quick", "training.iterations": 40}, seeds=2)
    >>> quick.name, quick.seeds
    ('quick', (0, 1))
    >>> te.load_sweep("demo", {"training.iterations": "many"})
    Traceback (most recent call last):
    explorer.errors.UserError: 'training.iterations' must be a whole number, got 'many'
    """
    from explorer.sweep.document import load_sweep as load

    if not isinstance(source, Mapping) and not is_path(source):
        raise UserError(
            "a sweep comes from a file, from a preset's name or from a mapping with the keys of a sweep file, "
            f"got {shown(source)}"
        )
    if changes is not None and not isinstance(changes, Mapping):
        raise UserError(
            f"changes must be a mapping such as {{'training.iterations': 40}}, got {shown(changes)}"
        )
    return load(source, changes or {}, trials, seeds)


def plan(sweep: Sweep | Source) -> Plan:
    """What running a sweep would do: trials, what is done already, packs, iterations; seconds on this machine's cores.

    Starts nothing; loads neither torch nor Ray. ``sentences()`` says it in words.

    >>> te.plan({"name": "two", "space": {"objective.lam": [1, 5]}, "training": {"iterations": 10}}).iterations
    20
    """
    from explorer.launch.earlier import earlier_trials
    from explorer.launch.plan import make_plan

    loaded = _loaded(sweep)
    return make_plan(loaded, earlier_trials(loaded))


def run_sweep(sweep: Sweep | Source, address: str | None = None, progress: bool = True) -> Outcome:
    """Run a sweep to its end; run it again to go on where it stopped. Returns counts of trials, finished and failed.

    It runs in the Ray runtime of this process if there is one, and leaves it running; else on the cluster at
    ``address`` (``auto`` or ``HOST:6379``) or RAY_ADDRESS, else in a Ray of its own on this machine, which ends with
    the call. ``progress`` shows a bar in a terminal, a line now and then elsewhere, on standard error.

    Ctrl-C, or the stop button of a notebook, raises KeyboardInterrupt once its runs are closed.

    >>> outcome = te.run_sweep(sweep, progress=False)  # all of it was done before
    >>> outcome.reused == outcome.finished == outcome.trials
    True
    """
    from rich.console import Console

    from explorer.launch.kept_report import keep_report
    from explorer.launch.run import run_sweep as run

    console = Console(stderr=True, quiet=not flag(progress, "progress"))
    loaded = _loaded(sweep)
    outcome = run(
        loaded,
        console,
        text_or_none(address, "the address"),
        lambda plan: console.print(*plan.sentences(), sep="\n", highlight=False, soft_wrap=True),
    )
    keep_report(loaded, outcome, lambda told: console.print(told, highlight=False, soft_wrap=True))
    if outcome.interrupted:
        raise KeyboardInterrupt(outcome.sentence())
    return outcome


def _loaded(sweep: Sweep | Source) -> Sweep:
    from explorer.sweep import Sweep

    return sweep if isinstance(sweep, Sweep) else load_sweep(sweep)
