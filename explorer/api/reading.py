"""Sweeps and their trials, read back from the tracking store."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.api.arguments import number, text, text_or_none
from explorer.errors import UserError, brief, shown

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from explorer.results.store import ResultStore, SweepInfo
    from explorer.results.table import Trial, TrialTable
    from explorer.sources import Source
    from explorer.store.schema import At
    from explorer.sweep import Sweep

__all__ = ["Results", "beside", "reading_at", "results", "results_from", "store_of", "sweeps"]


@dataclass(frozen=True, repr=False)
class Results:
    """All trials of a sweep as they stood when they were read; iterates over them, ``found[id]`` is one of them.

    Attributes:
        table: the trials, the sweep's objectives and the catalogue of its metrics.
        store: where they came from, and where samples, curves and histories still lie.
    """

    table: TrialTable
    store: ResultStore | Source

    def __len__(self) -> int:
        return len(self.table)

    def __iter__(self) -> Iterator[Trial]:
        return iter(self.table)

    def __getitem__(self, trial: str) -> Trial:
        """The trial of that identity, or of the only one that begins so."""
        begins = text(trial, f"the identity of a trial of sweep '{brief(self.table.sweep)}'")
        found = [one for one in self.table if one.id.startswith(begins)] if begins else []
        exact = [one for one in found if one.id == trial]
        if len(exact or found) != 1:
            raise UserError(
                f"a trial of sweep '{self.table.sweep}' is named by its identity or how it begins, "
                f"got '{brief(trial)}', which {len(found) or 'none'} of {len(self)} trials do"
            )
        return (exact or found)[0]

    def __repr__(self) -> str:
        goals = ", ".join(f"{goal.metric} {goal.direction}" for goal in self.table.goals)
        done = len(self.table.finished())
        return f"<results of sweep {brief(self.table.sweep)}: {done} of {len(self)} trials finished; {goals}>"

    def to_pandas(self) -> pd.DataFrame:
        """A row per trial and reading: id, status, method, budget K, on_front, rank, parameters, metrics.

        The layout is that of ``tradeoff front --csv``. Ranks are those among all trials at the row's own reading.
        """
        from explorer.pareto import trials_frame

        return trials_frame(self.table)

    def samples(self, trial: str, budget: float = 1, method: str | None = None) -> NDArray[np.float64]:
        """Points (n, d) of a trial that were kept for pictures, at budget K; (0, d) if none were kept there."""
        from explorer.figures import Samples
        from explorer.store.schema import SAMPLES_FILE

        run, at = self[trial].run_id, reading_at(self, budget, method)
        found = Samples.from_artifact(self.store.artifact_json(run, SAMPLES_FILE))
        if found is None:
            raise UserError(
                f"no points of trial '{trial}' were kept; only those of data on a line or a plane are"
            )
        return found.at(at)

    def curve(self, trial: str) -> pd.DataFrame:
        """The precision-recall curve of a trial's model as it is: columns lambda, precision, recall."""
        import pandas as pd

        from explorer.figures import read_curve
        from explorer.store.schema import CURVE_FILE

        rows = read_curve(self.store.artifact_json(self[trial].run_id, CURVE_FILE))
        return pd.DataFrame([(lam, p, r) for r, p, lam in rows], columns=["lambda", "precision", "recall"])

    def history(self, trial: str, metric: str = "precision") -> pd.Series[float]:
        """A metric of the model as it is over training, by iteration; NaN where it was not finite."""
        import pandas as pd

        rows = self.store.history(self[trial].run_id, text(metric, "a metric"))
        steps = pd.Index([step for step, _ in rows], name="iteration", dtype="int64")
        return pd.Series([value for _, value in rows], index=steps, name=metric, dtype="float64")


def sweeps(tracking_uri: str | None = None, experiment: str | None = None) -> list[SweepInfo]:
    """All sweeps of a tracking store, the newest first; each has name, description, status, trials, updated.

    ``tracking_uri`` is MLflow's address of the store, by default the one that commands use; ``experiment`` is the one
    to look into, by default all.

    >>> "ring" in [info.name for info in te.sweeps()]
    True
    """
    return store_of(tracking_uri, experiment).sweeps()


def results(
    sweep: str | Sweep, tracking_uri: str | None = None, experiment: str | None = None, fresh: bool = False
) -> Results:
    """The trials of a sweep, also while it runs: of the one of that name, or of one that was loaded.

    A loaded sweep is looked for where its file keeps its runs, unless ``tracking_uri`` or ``experiment`` say otherwise.
    Of a server only what changed is asked for; with ``fresh`` everything is, also what others set on old runs by hand.

    >>> found = te.results("ring")
    >>> found
    <results of sweep ring: 6 of 6 trials finished; precision max, recall max>
    >>> list(found.to_pandas().columns[:6])
    ['id', 'status', 'method', 'budget', 'on_front', 'rank']
    """
    if isinstance(sweep, str):
        store = store_of(tracking_uri, experiment, fresh=fresh)
        return Results(store.table(text(sweep, "a sweep's name")), store)
    from explorer.sweep import Sweep

    if not isinstance(sweep, Sweep):
        raise UserError(
            f"a sweep to read must be its name or what te.load_sweep returns, got {shown(sweep)}; "
            "te.sweeps() lists what there is"
        )
    store = store_of(tracking_uri, experiment, sweep, fresh)
    return Results(store.table(sweep.name), store)


def results_from(
    address: str | os.PathLike[str], sweep: str | None = None, objectives: Mapping[str, str] | None = None
) -> Results:
    """The trials of what others wrote, read where it lies: a CSV file, an Optuna storage, Ray Tune's results, MLflow.

    ``sweep`` says which of several is meant, ``objectives`` what it strives for, if not what it says or is guessed.

    >>> found.to_pandas().to_csv("ring.csv", index=False)
    >>> te.results_from("ring.csv", objectives={"precision": "max", "recall": "max"})
    <results of sweep ring: 6 of 6 trials finished; precision max, recall max>
    """
    from explorer.goals import parse_goals
    from explorer.sources import open_source
    from explorer.sources.mlflow_store import StoreSource
    from explorer.store.addresses import named_address
    from explorer.transfer.entrance import chosen_sweep, chosen_table

    source = open_source(named_address(text(os.fspath(address), "the address"), "the address"))
    label, info = chosen_sweep(source, text_or_none(sweep, "the sweep"))
    try:
        goals = None if objectives is None else parse_goals(objectives)
    except (AttributeError, ValueError) as error:
        raise UserError(str(error)) from error
    store = source.store if isinstance(source, StoreSource) else source
    return Results(chosen_table(source, label, info, goals), store)


def beside(*several: Results) -> Results:
    """The trials of several sweeps of one store as one table, under the objectives of the first.

    Each trial has the name of its sweep as parameter ``sweep``. Numbers compare where they were measured alike.

    >>> archive, copy = te.export_sweep("ring", "copied.zip"), te.import_sweep("copied.zip", name="ring-copied")
    >>> len(te.beside(found, te.results("ring-copied"))) == 2 * len(found)
    True
    """
    from explorer.results.several import joined

    if not several or not all(isinstance(one, Results) for one in several):
        raise UserError(f"what is laid side by side must be results of te.results, got {shown(several)}")
    places = {one.store.uri for one in several}
    if len(places) > 1:
        raise UserError("sweeps that are laid side by side must lie in one store; import the others into it")
    return Results(joined([one.table for one in several]), several[0].store)


def reading_at(found: Results, budget: float, method: str | None) -> At:
    """The reading of results at budget K through a refinement, by default the first there is."""
    return found.table.reading_at(number(budget, "the budget"), text_or_none(method, "the method"))


def store_of(
    tracking_uri: str | None, experiment: str | None, sweep: Sweep | None = None, fresh: bool = False
) -> ResultStore:
    """The store that is asked for, else that of a loaded sweep, else the one that commands use."""
    from explorer.folders import default_tracking_uri
    from explorer.results.store import ResultStore
    from explorer.store.addresses import named_address

    uri, one = text_or_none(tracking_uri, "tracking_uri"), text_or_none(experiment, "experiment")
    if sweep is not None:
        uri, one = uri or sweep.tracking.uri, one or sweep.tracking.experiment
    if uri is not None:
        named_address(uri, "tracking_uri")
    return ResultStore(uri or default_tracking_uri(), one, fresh=fresh)
