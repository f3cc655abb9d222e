"""Trials as versions of a registered model, each with where it stands on the front of its sweep."""

from __future__ import annotations

import math

from explorer.errors import UserError
from explorer.pareto.front import Front
from explorer.pareto.picking import Standing, standing
from explorer.results.naming import Naming, number
from explorer.results.repeat import base_params, can_repeat, repeat_name, repeat_yaml
from explorer.results.store import ResultStore
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN, At, budget_text
from explorer.tracking.registry import LONGEST_DESCRIPTION, Registered, check_names, register

__all__ = ["check_names", "describe", "find_trial", "register_trial"]

SHORTEST = 4
"""Characters of a trial's identity that name it where no sweep is named."""


def find_trial(store: ResultStore, name: str) -> tuple[str, str]:
    """The sweep and the identity of a trial, by its MLflow run or by how its identity begins."""
    from explorer.store.schema import SWEEP, TRIAL

    runs = store.runs("trial", (TRIAL, SWEEP))
    found = [run for run in runs if run.run_id == name]
    if not found and len(name) >= SHORTEST:
        found = [run for run in runs if run.tags.get(TRIAL, "").startswith(name)]
    several = {(run.tags.get(SWEEP, ""), run.tags.get(TRIAL, "")) for run in found}
    if len(several) != 1:
        raise UserError(
            f"a trial is named by its MLflow run or by {SHORTEST} characters or more with which its identity begins, "
            f"got '{name}', which {len(several) or 'none'} of {store.uri} do; name its sweep too"
        )
    return several.pop()


def register_trial(
    store: ResultStore, table: TrialTable, trial: Trial, name: str, alias: str | None = None, at: At = PLAIN
) -> Registered:
    """Register the model of a finished trial; where it stands is told as of a reading."""
    check_names(name, alias)
    if trial.status != "finished":
        raise UserError(
            f"a model is registered once its trial is finished, and {trial.id} of sweep '{table.sweep}' is "
            f"{trial.status}; choose another, or let it finish"
        )
    tags = {
        "tradeoff.sweep": table.sweep,
        "tradeoff.trial": trial.id,
        "tradeoff.reading": at.text(),
        "tradeoff.rank": str(Front(table, at).ranks.get(trial.id, "none")),
    }
    return register(
        store.uri, trial.run_id, name, alias, describe(table, trial, at, store.document(table.sweep)), tags
    )


def describe(table: TrialTable, trial: Trial, at: At = PLAIN, document: str | None = None) -> str:
    """Markdown: where a trial stands, what was measured, what it is, how samples are drawn and how it is made again."""
    front = Front(table, at)
    rank = front.ranks.get(trial.id)
    stand = {None: "without a rank", 0: "on the front"}.get(rank, f"of rank {rank}, behind the front")
    whole = standing(table, trial, at)
    lines = [
        f"Trial `{trial.id}` of sweep **{table.sweep}**: {stand} at {table.words(at)}, where {len(front)} of "
        f"{len(table.finished())} finished trials are on the front.{_seeds(whole)}",
        "",
        "| metric | value | its interval | mean over seeds | its interval |",
        "|---|---|---|---|---|",
        *(_row(table, trial, metric, at, whole) for metric in table.headline_metrics(8, at)),
        "",
        *_config(table, trial),
        f'Draw samples with `predict({{"n": 64, "budget": {budget_text(at.budget)}}})`.',
    ]
    told = "\n".join(lines)
    more = _again(table, trial, document)
    return told + more if len(told) + len(more) <= LONGEST_DESCRIPTION else told[:LONGEST_DESCRIPTION]


def _seeds(whole: Standing | None) -> str:
    """Where its configuration stands, if it has several seeds."""
    if whole is None or whole.seeds < 2:
        return ""
    where = "one of" if whole.on_front else "behind"
    return (
        f" By means over {whole.seeds} seeds its configuration is {where} the {whole.front} of {whole.of} that are on "
        "the front."
    )


def _row(table: TrialTable, trial: Trial, metric: str, at: At, whole: Standing | None) -> str:
    read = trial.at(at)
    ends = _between(*(read.get(f"{metric}.{end}", math.nan) for end in ("low", "high")))
    cells = [table.title(metric), number(read.get(metric, math.nan)), ends]
    mean = None if whole is None else whole.means.get(metric)
    cells += ["", ""] if mean is None else [number(mean[0]), _between(*mean[1:])]
    return f"| {' | '.join(cells)} |"


def _between(low: float, high: float) -> str:
    return f"{number(low)} to {number(high)}" if math.isfinite(low) and math.isfinite(high) else ""


def _config(table: TrialTable, trial: Trial) -> list[str]:
    """What tells it from the others of its sweep."""
    naming = Naming.of([one.params for one in table])
    told = [
        f"{heading} = `{trial.params[path]}`"
        for path, heading in naming.headings.items()
        if path in trial.params
    ]
    return [f"It has {', '.join(told)}.", ""] if told else []


def _again(table: TrialTable, trial: Trial, document: str | None) -> str:
    """The command that trains it once more, and the file that it reads."""
    if not can_repeat(trial):
        return ""
    file = f"{repeat_name(trial)}.yaml"
    text = repeat_yaml(trial, table.sweep, document, base_params(table, trial))
    return f"\n\n`tradeoff sweep {file}` trains it once more, where `{file}` is:\n\n```yaml\n{text}```\n"
