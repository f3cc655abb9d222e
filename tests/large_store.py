"""A store of one large sweep, written straight into SQLite: MLflow would take minutes for it.

    python -m tests.large_store DIR --trials 10000

The sweep ``large``: λ × L × objective × seeds, four readings each, some trials failed. The numbers follow λ and L as
those of real sweeps do, so that fronts, audits and filters have something to show. The same for the same arguments.
"""

from __future__ import annotations

import argparse
import json
import math
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from explorer.results.store import ResultStore
from explorer.store import schema
from explorer.store.schema import At, Scalar, metric_key
from tests.app.made_sweep import MARKS, open_sweep
from tests.stores import empty_store
from trainables.config import TrainingConfig, TrialConfig
from trainables.constraints.spectral import Spectral
from trainables.objectives.fgan import KL
from trainables.objectives.hinge import Hinge
from trainables.objectives.pr import PR

__all__ = ["LARGE", "write_large"]

LARGE = "large"
LIPSCHITZ = (1.0, 2.0, 5.0, 10.0, 20.0)
SEEDS = 5
STEPS = (1000, 2500, 4000)
BEGAN = 1_760_000_000_000
"""When the first trial began, in MLflow's milliseconds."""
READINGS = [At("none", 1.0), *(At("obrs", k) for k in (1.5, 2.0, 4.0))]


@dataclass(frozen=True)
class _Place:
    """Where the trials go."""

    parent: str
    experiment: str
    artifacts: str
    now: int


def write_large(folder: Path, trials: int = 10_000, running: int = 0) -> str:
    """Write the store; its address. The last ``running`` trials are still in training, and so is the sweep then."""
    uri = empty_store(folder)
    tracker = open_sweep(uri, LARGE, f"{trials:,} made-up trials")
    if not running:
        tracker.close_sweep(interrupted=False)
    (parent,) = ResultStore(uri).runs("sweep", ())
    artifacts = (folder / "artifacts").resolve().as_uri()
    place = _Place(parent.run_id, parent.experiment_id, artifacts, BEGAN)
    with closing(sqlite3.connect(folder / "mlflow.db")) as link, link:
        link.execute("PRAGMA synchronous = OFF")
        for number, config in zip(range(trials), _configs(trials), strict=False):
            _insert(link, place, number, config, ended=number < trials - running)
        value = str(trials)
        link.execute("INSERT OR REPLACE INTO tags VALUES (?, ?, ?)", (schema.TRIALS, value, parent.run_id))
    return uri


def _configs(trials: int) -> Iterator[TrialConfig]:
    """As many λ as it takes: PR at every one, beside KL and hinge at every L and seed."""
    lambdas = max(1, math.ceil(trials / (len(LIPSCHITZ) * SEEDS)) - 2)
    objectives = [*(PR(lam=float(f"{lam:.4g}")) for lam in np.geomspace(0.02, 50, lambdas)), KL(), Hinge()]
    training = TrainingConfig(iterations=STEPS[-1])
    for seed in range(SEEDS):
        for objective in objectives:
            for bound in LIPSCHITZ:
                constraint = Spectral(lipschitz=bound)
                yield TrialConfig(objective=objective, constraint=constraint, training=training, seed=seed)


def _insert(link: sqlite3.Connection, place: _Place, number: int, config: TrialConfig, ended: bool) -> None:
    """One trial as the tracker writes it."""
    identity, params = config.identity(), config.params()
    rng = np.random.default_rng(int(identity, 16))
    run, began = f"{number:08x}{identity:0<24}", place.now + 1000 * number
    failed = ended and rng.random() < 0.015
    status = "RUNNING" if not ended else "FAILED" if failed else "FINISHED"
    link.execute(
        "INSERT INTO runs (run_uuid, name, source_type, source_name, entry_point_name, user_id, status, start_time, "
        "end_time, source_version, lifecycle_stage, artifact_uri, experiment_id) "
        "VALUES (?, ?, 'UNKNOWN', '', '', 'tests', ?, ?, ?, '', 'active', ?, ?)",
        (
            run,
            identity,
            status,
            began,
            began + 60_000 if ended else None,
            f"{place.artifacts}/{run}/artifacts",
            int(place.experiment),
        ),
    )
    final = _final(params, rng)
    measured = [final] if ended and not failed else []
    link.executemany(
        "INSERT INTO tags (key, value, run_uuid) VALUES (?, ?, ?)",
        ((key, value, run) for key, value in _tags(place, identity, failed, bool(measured), rng).items()),
    )
    link.executemany(
        "INSERT INTO params (key, value, run_uuid) VALUES (?, ?, ?)",
        ((path, schema.encode(value), run) for path, value in params.items()),
    )
    early = [
        {name: value * (1 - math.exp(-step / 1200)) for name, value in final.items() if "/" not in name}
        for step in STEPS[:-1]
    ]
    rows = [
        (key, value, began + 1000 * step, step, 0, run)
        for step, values in zip(STEPS, [*early, *measured], strict=False)
        for key, value in values.items()
    ]
    columns = "(key, value, timestamp, step, is_nan, run_uuid) VALUES (?, ?, ?, ?, ?, ?)"
    link.executemany(f"INSERT INTO metrics {columns}", rows)
    latest = {row[0]: row for row in rows}
    link.executemany(f"INSERT INTO latest_metrics {columns}", latest.values())


def _tags(
    place: _Place, identity: str, failed: bool, measured: bool, rng: np.random.Generator
) -> dict[str, str]:
    tags = {
        schema.KIND: "trial",
        schema.SWEEP: LARGE,
        schema.TRIAL: identity,
        schema.LAYOUT: schema.LAYOUT_NOW,
        schema.PARENT: place.parent,
        "mlflow.runName": identity,
        "mlflow.user": "tests",
    }
    if failed:
        why = rng.choice(
            ["the loss is not finite", "out of memory: 2 GiB were asked for", "its process ended"]
        )
        tags |= {schema.REASON: str(why), schema.OUTCOME: "raised"}
    if measured:
        alphas = np.sort(np.round(rng.random(len(schema.TRADE_OFFS)), 4)).tolist()
        tags |= {schema.READINGS: schema.encode_readings(MARKS), schema.ALPHAS: json.dumps(alphas)}
    return tags


def _final(params: dict[str, Scalar], rng: np.random.Generator) -> dict[str, float]:
    """Precision rises with λ and recall falls; a small L blurs both, a large budget sharpens at a cost in recall."""
    lam, bound = params.get("objective.lam"), float(params["constraint.lipschitz"] or 1)
    push = float(np.tanh(0.5 * math.log(lam))) if isinstance(lam, float) else 0.0
    power = 1 - 0.45 * math.exp(-bound / 4) - (0.08 if lam is None else 0.0)
    precision = float(np.clip((0.76 + 0.2 * push) * power + 0.02 * rng.normal(), 0, 1))
    recall = float(np.clip((0.7 - 0.28 * push) * power + 0.02 * rng.normal(), 0, 1))
    found: dict[str, float] = {}
    for at in READINGS:
        k = at.budget
        p, r = 1 - (1 - precision) / k**0.6, recall * (1 - 0.06 * math.log(k))
        fid = 40 * (1 - p) ** 2 + 25 * (1 - r) ** 2 + 0.2 + 0.3 * abs(rng.normal())
        values = {"precision": p, "recall": r, "density": 1.1 * p, "coverage": 0.9 * r, "fid": fid}
        values |= {"quality": 0.95 * p, "modes_hit": 8 * r, "modes_held": 7 * r}
        if k > 1:
            values |= {"acceptance": 1 / k, "draws": k, "scores": k}
        found |= {metric_key(at, name): float(value) for name, value in values.items()}
    more = {"critic_loss": 1.2 + 0.1 * rng.normal(), "generator_loss": 0.7 + 0.1 * rng.normal()}
    more |= {"critic_lipschitz": bound, "critic_slope": 0.6 * bound, "generator_slope": 3 + rng.random()}
    more |= {"calibration": 1 + 0.1 * rng.normal(), "train_seconds": 9 + rng.random()}
    if lam is not None:
        more |= {"lam_below": 0.6, "lam_above": 0.4, "lam_inert": float(rng.random() < 0.02)}
    return found | {name: float(value) for name, value in more.items()}


def main() -> None:
    """Write a store and say where."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--running", type=int, default=0, help="trials that are still in training")
    chosen = parser.parse_args()
    began = time.perf_counter()
    uri = write_large(chosen.folder, chosen.trials, chosen.running)
    print(f"{uri}: {chosen.trials:,} trials in {time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    main()
