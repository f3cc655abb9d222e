"""Trained models refined: read at sampling budgets, and sampled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.api.arguments import flag, number, numbers, text, text_or_none, whole_number
from explorer.api.reading import Results
from explorer.errors import UserError, shown

if TYPE_CHECKING:
    from explorer.refining import Refined, Wish
    from explorer.results.store import ResultStore
    from explorer.results.table import Trial

__all__ = ["refine", "sample"]


def refine(
    found: Results,
    trial: str,
    method: str = "obrs",
    budgets: Iterable[float] = (1, 2, 4, 8),
    samples: int | None = None,
    seed: int = 0,
    ratio: str = "critic",
    calibration: str | None = None,
    device: str = "auto",
    changes: Mapping[str, Any] | None = None,
    log: bool = True,
    stage: Callable[[str], None] = lambda told: None,
) -> Refined:
    """Read a finished trial through a refinement at budgets K: metrics with intervals, what theory foretold, the cost.

    Nothing is trained. ``ratio`` is from what p/q is known: the ``critic``, the model's ``density`` against the known
    law of the data, or a ``classifier`` that is fitted now; ``calibration`` is ``slope`` if left out, ``isotonic``,
    ``normalised`` or ``none``. ``changes`` are values by path, such as ``{"refinement.rate": 0.01}``; with ``log`` what
    is found goes to the trial's run; ``stage`` hears what is done now.

    >>> bought = te.refine(found, best.trials[0].id, "obrs", [1, 2], samples=200, log=False)
    >>> bought.to_pandas().loc[2.0, "draws"] > 1.5
    True
    """
    from explorer.refining import refined
    from explorer.refining.kept import keep_refined
    from explorer.refining.trial_subject import trial_subject

    wish = _wish(
        method, numbers(budgets, "budgets"), samples, seed, ratio, calibration, device, None, changes
    )
    store, one = _trial(found, trial)
    stage(f"{wish.method}: reading trial {one.id}")
    done = refined(trial_subject(store, found.table, one, wish), wish.seed, stage)
    if flag(log, "log"):
        stage(keep_refined(store.uri, one, done))
    return done


def sample(
    found: Results,
    trial: str,
    out: str | Path,
    n: int = 64,
    method: str = "obrs",
    budget: float = 1,
    seed: int = 0,
    label: int | None = None,
    ratio: str = "critic",
    calibration: str | None = None,
    device: str = "auto",
    changes: Mapping[str, Any] | None = None,
    stage: Callable[[str], None] = lambda told: None,
) -> dict[str, Any]:
    """Draw ``n`` samples of a finished trial at budget K into a ``.npz`` file or a folder of images; what they cost.

    Samples are written while they are drawn, in constant memory. The other arguments are those of ``refine``;
    ``label`` is the class of all samples, of a model that makes them for one.

    >>> made = te.sample(found, best.trials[0].id, folder / "kept.npz", 100, budget=2)
    >>> made["ledger"]["samples"]
    100
    """
    from explorer.refining.sampled import sampled
    from explorer.refining.trial_subject import drawn_trial

    place = Path(text(str(out), "the place of samples"))
    wish = _wish(method, [number(budget, "budget K")], None, seed, ratio, calibration, device, label, changes)
    store, one = _trial(found, trial)
    model, refinement, title = drawn_trial(store, found.table, one, wish)
    told = {"model": title, "run": one.run_id, "trial": one.id, "sweep": found.table.sweep}
    return sampled(model, refinement, wish, whole_number(n, "n", 1), place, told, stage)


def _trial(found: Results, trial: str) -> tuple[ResultStore, Trial]:
    from explorer.results.store import ResultStore

    if not isinstance(found, Results):
        raise UserError(f"the results of a sweep must be what te.results returns, got {shown(found)}")
    if not isinstance(found.store, ResultStore):
        raise UserError(
            f"a trial is refined by the model in its run, in an MLflow store, got {shown(found.store.address)}; "
            "give its generator and critic as files"
        )
    return found.store, found[trial]


def _wish(
    method: str,
    budgets: list[float],
    samples: int | None,
    seed: int,
    ratio: str,
    calibration: str | None,
    device: str,
    label: int | None,
    changes: Mapping[str, Any] | None,
) -> Wish:
    import json

    from explorer.refining import Wish

    if changes is not None and not isinstance(changes, Mapping):
        raise UserError(
            f"changes must be a mapping such as {{'refinement.rate': 0.01}}, got {shown(changes)}"
        )
    return Wish(
        method=text(method, "the method"),
        budgets=tuple(budgets),
        samples=None if samples is None else whole_number(samples, "samples", 1),
        seed=whole_number(seed, "the seed", 0),
        ratio=text(ratio, "the ratio"),
        calibration=text_or_none(calibration, "the calibration"),
        device=text(device, "the device"),
        label=None if label is None else whole_number(label, "the label", 0),
        changes=tuple(f"{path}={json.dumps(value)}" for path, value in (changes or {}).items()),
    )
