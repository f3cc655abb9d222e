"""Small made-up sweeps of the shape of real ones, written by the product's own writer and by nothing else."""

from __future__ import annotations

import fcntl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from explorer.launch.recorder import Recorder
from explorer.results.catalogue import Catalogue
from explorer.results.store import ResultStore
from explorer.results.table import Scalar, TrialTable
from explorer.store.schema import At
from explorer.tracking import Spool, Tracker
from tests.app.made_findings import made_findings
from tests.app.old_layout import write_old_sweep
from tests.stores import empty_store
from trainables.config import TrainingConfig, TrialConfig
from trainables.evaluation.reading import PLAIN, Cost, Evaluation, Reading
from trainables.evaluation.settings import ReadingPlan
from trainables.metrics.metric import Entry
from trainables.objectives.fgan import KL
from trainables.objectives.hinge import Hinge
from trainables.objectives.pr import PR

EXPERIMENT = "tradeoff-explorer"
OBJECTIVES = {"precision": "max", "recall": "max", "fid": "min"}
LAMBDAS = (0.05, 0.1, 0.3, 1.0, 3.0, 10.0, 20.0)
SEEDS = 3
ITERATIONS = 4000
PLAN = ReadingPlan()
MARKS = {At(*key): mark for key, mark in PLAN.readings().items()}
OBRS = tuple((method, budget) for method, budget in PLAN.readings() if method == "obrs")
DOCUMENT = """\
name: made
description: Eight Gaussians
dataset: {name: gaussians8}
training: {iterations: 4000}
refinement: {budgets: [1, 1.5, 2, 4]}
seeds: 3
space:
  - objective.name: [pr]
    objective.lam: [0.05, 0.1, 0.3, 1, 3, 10, 20]
  - objective.name: [kl, hinge]
"""

SCRIPT = "<script>window.hacked = 1</script>"
BREAKOUT = "</div></script><img src=x onerror='window.hacked = 1'>"
PICTURE = "![x](http://evil.example/x.png)"
HOSTILE_SWEEP = f"{SCRIPT} **bold** {'x' * 300}"
HOSTILE_KEY = "evil metric: a.b-c/d"
"""As far as MLflow lets a metric's name go."""
HOSTILE_TITLE = f"{PICTURE} <img src=x onerror='window.hacked = 1'>"

MADE = "made"
TWO_METHODS = "two methods"
NEWER = "newer"
ELSEWHERE = "elsewhere"
OLD = "old"
TWIN = "twin"
"""In two experiments."""
EMPTY = "empty"
SPARKLE = Entry("sparkle", "Sparkle of samples", "A metric of a later version.", "min", 0.0)
"""Something no version of the catalogue in code has heard of."""


@dataclass(frozen=True)
class Made:
    """One made trial: its identity and parameters, what the recorder is told of it, and why it failed, if it did."""

    id: str
    params: Mapping[str, Scalar]
    history: tuple[Evaluation, ...]
    final: Evaluation
    failing: str | None = None

    def reading(self, at: At) -> Reading:
        """One reading of the final evaluation."""
        return next(reading for reading in self.final.readings if reading.key == at)


def made_trials() -> list[Made]:
    """PR-GAN trials over λ and seeds beside two baselines, the last trial failed."""
    *fine, last = configs(LAMBDAS, SEEDS)
    return [*(made(config) for config in fine), made(last, failing="loss became <b>NaN</b>")]


def configs(lambdas: Sequence[float], seeds: int) -> list[TrialConfig]:
    """λ first, then KL and hinge, each with every seed."""
    objectives = [*(PR(lam=lam) for lam in lambdas), KL(), Hinge()]
    training = TrainingConfig(iterations=ITERATIONS)
    return [
        TrialConfig(objective=objective, training=training, seed=seed)
        for objective in objectives
        for seed in range(seeds)
    ]


def made(
    config: TrialConfig,
    readings: Sequence[tuple[str, float]] = OBRS,
    more: Mapping[str, float] | None = None,
    params: Mapping[str, Scalar] | None = None,
    failing: str | None = None,
    points: int = 120,
) -> Made:
    """A trial with numbers made up from its λ: ``more`` metrics at every reading, ``params`` beside its own."""
    identity = config.identity()
    rng = np.random.default_rng(int(identity, 16))
    lam = getattr(config.objective, "lam", None)
    push = float(np.tanh(0.6 * np.log(lam))) if lam is not None else 0.1 * rng.normal()
    loss = 0.12 if lam is None else 0.0
    precision = float(np.clip(0.74 + 0.2 * push - loss + 0.015 * rng.normal(), 0, 1))
    recall = float(np.clip(0.68 - 0.27 * push - loss + 0.015 * rng.normal(), 0, 1))
    fake = _modes(points, max(2, round(8 * recall + 1.5)), 0.06 + 0.5 * (1 - precision), rng)
    reads = tuple(_reading(at, precision, recall, more or {}, fake, rng) for at in (PLAIN, *readings))
    diagnostics = _diagnostics(lam, rng)
    real, curve = _modes(points, 8, 0.1, rng), _curve(precision, recall)
    findings = made_findings(real, fake, (precision, recall), curve, PLAN.evaluation.k)
    final = Evaluation(ITERATIONS, True, reads, diagnostics, real, curve, findings=findings)
    history = tuple(_earlier(step, final) for step in (1000, 2500))
    return Made(identity, {**config.params(), **(params or {})}, history, final, failing)


def write_sweep(
    uri: str,
    name: str,
    trials: Sequence[Made],
    description: str = "",
    objectives: Mapping[str, str] | None = None,
    entries: Sequence[Entry] = (),
    document: str = DOCUMENT,
    experiment: str = EXPERIMENT,
) -> None:
    """Record the trials as a launch does; ``entries`` come to the catalogue of the everyday plan."""
    tracker = open_sweep(uri, name, description, objectives, entries, document, experiment)
    with TemporaryDirectory() as folder:
        recorder = Recorder(tracker, Spool(Path(folder)), lambda trial: MARKS)
        recorder.start([(trial.id, trial.params) for trial in trials])
        for trial in trials:
            for evaluation in trial.history:
                recorder.record(trial.id, evaluation)
            if trial.failing is None:
                recorder.record(trial.id, trial.final)
            else:
                recorder.fail(trial.id, trial.failing, "process")
        recorder.close(interrupted=False)


def open_sweep(
    uri: str,
    name: str,
    description: str = "",
    objectives: Mapping[str, str] | None = None,
    entries: Sequence[Entry] = (),
    document: str = DOCUMENT,
    experiment: str = EXPERIMENT,
) -> Tracker:
    """A sweep whose launch has just begun."""
    tracker = Tracker(uri, experiment)
    metrics = [entry for metric in PLAN.evaluation.chosen() for entry in metric.entries]
    catalogue = Catalogue.of([*metrics, *entries, *PLAN.catalogue()], PLAN.methods()).to_json()
    tracker.open_sweep(name, objectives or OBJECTIVES, description, document, catalogue)
    return tracker


def write_store(uri: str) -> None:
    """Every sweep of the tests; ``made`` comes last, so it is the newest."""
    few = configs((0.1, 1.0, 10.0), 1)
    write_sweep(uri, EMPTY, [])
    write_sweep(uri, TWIN, [made(few[0])], "The first")
    write_sweep(uri, TWIN, [made(few[1])], "The second", experiment="another")
    write_old_sweep(uri, OLD, EXPERIMENT)
    write_sweep(
        uri,
        HOSTILE_SWEEP,
        hostile_trials(),
        f"{PICTURE} <script>hacked=1</script>",
        {"precision": "max", "recall": "max", HOSTILE_KEY: "max", "fid": "min"},
        [Entry(HOSTILE_KEY, HOSTILE_TITLE, SCRIPT, "max")],
        f"name: |\n  {HOSTILE_SWEEP}\n",
    )
    write_sweep(
        uri,
        TWO_METHODS,
        [made(config, (*OBRS, ("other", 2.0), ("other", 3.0))) for config in few],
        "Read twice",
    )
    write_sweep(
        uri,
        NEWER,
        [made(config, more={SPARKLE.key: 2.0 + i}) for i, config in enumerate(few)],
        "With a metric from the future",
        {"recall": "max", SPARKLE.key: "min"},
        [SPARKLE],
    )
    stranger: dict[str, Scalar] = {"model.name": "not_installed", "dataset.name": "their_data"}
    write_sweep(uri, ELSEWHERE, [made(config, params=stranger) for config in few], "Trained elsewhere")
    write_sweep(uri, MADE, made_trials(), "Eight Gaussians")


def hostile_trials() -> list[Made]:
    """Trials whose values try to be more than text; the last one failed, and its reason tries too."""
    words = [SCRIPT, BREAKOUT, PICTURE, "=1+1", "y" * 400]
    return [
        made(
            TrialConfig(objective=PR(lam=lam), seed=seed),
            more={HOSTILE_KEY: 1.0 + seed},
            params={"note": word},
            failing=f"{BREAKOUT} {SCRIPT}" if word == words[-1] else None,
            points=20,
        )
        for seed, (word, lam) in enumerate(zip(words, LAMBDAS[1:], strict=False))
    ]


def shared_store(folder: Path) -> str:
    """The store of all sweeps in a folder, written by whichever process of the tests comes first."""
    with (folder / "made.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = folder / "made.done"
        uri = f"sqlite:///{folder / 'made' / 'mlflow.db'}"
        if not done.exists():
            empty_store(folder / "made")
            write_store(uri)
            done.touch()
    return uri


@cache
def read_table(uri: str, sweep: str = MADE) -> TrialTable:
    """A sweep as its reader has it."""
    return ResultStore(uri).table(sweep)


def _reading(
    at: tuple[str, float],
    precision: float,
    recall: float,
    more: Mapping[str, float],
    fake: np.ndarray,
    rng: np.random.Generator,
) -> Reading:
    """A bigger budget raises precision and costs a little recall; another method does so more slowly."""
    method, k = at
    pace = 0.35 if method == "other" else 0.7
    p, r = 1 - (1 - precision) / k**pace, recall * (1 - 0.06 * np.log(k))
    fid = 40 * (1 - p) ** 2 + 25 * (1 - r) ** 2 + 0.2 + 0.1 * abs(rng.normal())
    rate = 1.0 if k == 1 else 1 / k + 0.005 * rng.normal()
    metrics = {"precision": p, "recall": r, "density": 1.1 * p, "coverage": 0.9 * r, "fid": fid}
    metrics |= {"quality": 0.95 * p, "modes_hit": 8.0 * r, "modes_held": 7.0 * r, "acceptance": rate, **more}
    cost = None if k == 1 else Cost(draws=1 / rate, scores=1 / rate)
    kept = int(len(fake) / k)
    shown = fake[:kept] * (1 if k == 1 else 0.98)
    refused = None if k == 1 else fake[kept:]
    numbers = {name: float(v) for name, v in metrics.items()}
    return Reading(method, k, numbers, cost, shown, rejected=refused)


def _earlier(step: int, final: Evaluation) -> Evaluation:
    """The model as it is at an earlier iteration, which is all that is read then."""
    share = 1 - float(np.exp(-step / 1200))
    metrics = {name: value * share for name, value in final.metrics.items()}
    metrics["fid"] = final.metrics["fid"] + 8 * (1 - share)
    return Evaluation(step, False, (Reading(*PLAIN, metrics),), final.diagnostics)


def _diagnostics(lam: float | None, rng: np.random.Generator) -> dict[str, float]:
    found = {
        "critic_loss": 1.2 + 0.1 * rng.normal(),
        "generator_loss": 0.7,
        "critic_lipschitz": 2.0,
        "critic_slope": 1.25,
        "generator_slope": 3.5,
        "calibration": 1.0,
        "train_seconds": 9.0,
    }
    return found if lam is None else {**found, "lam_below": 0.6, "lam_above": 0.4, "lam_inert": 0.0}


def _modes(count: int, which: int, spread: float, rng: np.random.Generator) -> np.ndarray:
    angle = 2 * np.pi * rng.integers(0, which, count) / 8
    return 2 * np.stack([np.cos(angle), np.sin(angle)], 1) + spread * rng.normal(size=(count, 2))


def _curve(precision: float, recall: float) -> dict[str, object]:
    """A curve as real ones are: α_λ grows with λ and is concave, from β λ for small λ to the precision for large."""
    lam = np.logspace(-3, 3, 61)
    alpha = (precision**-3 + (recall * lam) ** -3) ** (-1 / 3)
    return {
        "lambda": lam.tolist(),
        "precision": alpha.tolist(),
        "recall": (alpha / lam).tolist(),
        "source": "exact",
    }
