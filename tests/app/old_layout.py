"""A sweep as layout 1 held it, written with the bare MLflow client since nothing of today writes it."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

__all__ = ["OLD_BUDGETS", "OLD_TRIALS", "write_old_sweep"]

OLD_BUDGETS = (1.0, 2.0, 4.0)
OLD_TRIALS = {
    f"01d{i:09d}": {"objective.name": "pr", "objective.lam": lam, "seed": 0}
    for i, lam in enumerate((0.1, 1.0, 10.0))
}
"""Parameters by identity."""


def write_old_sweep(uri: str, name: str, experiment: str) -> None:
    """Keys ``K2/precision``, K = 1 twice, no tags of layout or readings, samples by budget."""
    from explorer.store.connection import Connection

    store = Connection(uri)
    number, client = store.experiment(experiment), store.client
    tags = {"tradeoff.kind": "sweep", "tradeoff.sweep": name, "tradeoff.description": "From before"}
    tags |= {"tradeoff.objectives": json.dumps({"precision": "max", "recall": "max"}), "tradeoff.trials": "3"}
    parent = client.create_run(number, tags=tags, run_name=name).info.run_id
    for i, (identity, params) in enumerate(OLD_TRIALS.items()):
        child_tags = {"tradeoff.kind": "trial", "tradeoff.sweep": name, "tradeoff.trial": identity}
        run = client.create_run(number, tags={**child_tags, "mlflow.parentRunId": parent}, run_name=identity)
        run_id = run.info.run_id
        for path, value in params.items():
            client.log_param(run_id, path, json.dumps(value))
        for key, value in _metrics(i).items():
            client.log_metric(run_id, key, value, step=100)
        with TemporaryDirectory() as folder:
            (Path(folder) / "samples.json").write_text(json.dumps(_samples(i)))
            client.log_artifacts(run_id, folder)
        client.set_terminated(run_id, "FINISHED")
    client.set_terminated(parent, "FINISHED")


def _metrics(i: int) -> dict[str, float]:
    plain = {"precision": 0.5 + 0.1 * i, "recall": 0.8 - 0.2 * i, "fid": 4.0 - i, "acceptance": 1.0}
    reads = {f"K1/{name}": value for name, value in plain.items()}
    for k in OLD_BUDGETS[1:]:
        better = {**plain, "precision": 1 - (1 - plain["precision"]) / k, "acceptance": 1 / k}
        reads |= {f"K{k:g}/{name}": value for name, value in better.items()}
    return {**plain, "critic_loss": 1.0 + i, **reads}


def _samples(i: int) -> dict[str, object]:
    fake = [[0.1 * j, 0.1 * j + i] for j in range(40)]
    kept = {f"{k:g}": fake[: int(40 / k)] for k in OLD_BUDGETS}
    return {"real": [[0.1 * j, 0.1 * j] for j in range(40)], "fake": fake, "budgets": kept}
