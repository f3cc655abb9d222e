"""What was found of a stored trial goes to its run: readings that compare with its own, and all of it as a file."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from explorer.refining.refined import Refined
from explorer.store.schema import PLAIN, At, budget_text
from explorer.tracking.readings import ADDED, add_readings
from explorer.words import counted

if TYPE_CHECKING:
    from explorer.results.table import Trial
    from trainables.evaluation.settings import EvaluationConfig

__all__ = ["keep_refined", "refined_file"]


def refined_file(method: str) -> str:
    """The artifact of a method."""
    return f"refined-{method}.json"


def keep_refined(uri: str, trial: Trial, found: Refined) -> str:
    """Log what was found to the trial's run; in a sentence what went there.

    Metrics are readings of the trial only where they were measured as its own, on as many samples by the same metrics.
    Else they would not compare, and the file alone has them.
    """
    from trainables.config import fingerprint

    subject = found.subject
    method = subject.method
    alike = _is_measured_alike(subject.evaluation, trial.marks.get(PLAIN))
    readings, marks = {}, {}
    for one in found.readings if alike else ():
        if one.budget == 1:
            continue
        at = At(method.name, one.budget)
        cost = one.ledger.cost()
        own = {"acceptance": one.ledger.acceptance, "draws": cost.draws, "scores": cost.scores}
        readings[at] = {**one.metrics, **own, "gradients": cost.gradients}
        ratio = None if subject.ratio is None else [subject.ratio.source, subject.ratio.calibration]
        made = [method.method_signature(), ratio, found.seed, subject.evaluation.signature()]
        marks[at] = ADDED + fingerprint(made)
    file = refined_file(method.name)
    left = add_readings(uri, trial.run_id, readings, marks, {file: json.dumps(found.document())})
    told = [f"logged to run {trial.run_id}: {file}"]
    added = len(readings) - len(left)
    if added:
        told.append(counted(added, "reading"))
    if left:
        kept = ", ".join(budget_text(at.budget) for at in left)
        told.append(f"those of the sweep at K = {kept} stay")
    if not alike:
        told.append("no readings, since its own were measured on other samples or by other metrics")
    return "; ".join(told)


def _is_measured_alike(evaluation: EvaluationConfig, mark: str | None) -> bool:
    """Whether the model as it is bears a mark of this evaluation, but for intervals and how often it was read."""
    from trainables.config import fingerprint
    from trainables.evaluation.settings import MOST_REPEATS

    ways = product((False, True), range(1, MOST_REPEATS + 1))
    return any(
        mark == fingerprint([None, replace(evaluation, intervals=intervals, repeats=repeats).signature()])
        for intervals, repeats in ways
    )
