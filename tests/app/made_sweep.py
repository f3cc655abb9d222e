"""A small made-up sweep with the shape of a real one: λ trades recall for precision on eight Gaussians."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

import numpy as np

from explorer.goals import parse_goals
from explorer.results.table import Scalar, Trial, TrialTable

OBJECTIVES = {"precision": "max", "recall": "max", "fid": "min"}
LAMBDAS = (0.05, 0.1, 0.3, 1.0, 3.0, 10.0, 20.0)
BUDGETS = (1.0, 1.5, 2.0, 4.0)
DOCUMENT = "name: made\ndataset: {name: gaussians8}\nspace:\n  objective.lam: {log: [0.05, 20]}\n"

SCRIPT = "<script>window.hacked = 1</script>"
BREAKOUT = "</div></script><img src=x onerror='window.hacked = 1'>"
HOSTILE_SWEEP = f"{SCRIPT} **bold** {'x' * 300}"


@dataclass(frozen=True)
class Made:
    """One made trial: what a tracker is told, and what a table would hold of it."""

    id: str
    params: dict[str, Scalar]
    budgets: dict[float, dict[str, float]]
    history: list[tuple[int, dict[str, float]]]
    samples: dict[str, object]
    curve: dict[str, object]


def made_trials(lambdas: tuple[float, ...] = LAMBDAS, seeds: int = 3, points: int = 300) -> list[Made]:
    """PR-GAN trials over λ and seeds, and an f-GAN baseline of two divergences."""
    configs: list[dict[str, Scalar]] = [
        {"objective.name": "pr", "objective.lam": lam, "seed": seed}
        for lam in lambdas
        for seed in range(seeds)
    ]
    configs += [
        {"objective.name": "fgan", "objective.divergence": div, "seed": seed}
        for div in ("kl", "chi2")
        for seed in range(seeds)
    ]
    return [_made(config, points) for config in configs]


def hostile_trials() -> list[Made]:
    """Trials whose values try to be more than text."""
    words = [SCRIPT, BREAKOUT, "![x](http://evil.example/x.png)", "=1+1", "y" * 400]
    return [
        _made({"objective.name": "pr", "objective.lam": 1.0, "note": word, "seed": 0}, 20) for word in words
    ]


def made_table(trials: list[Made] | None = None, sweep: str = "made") -> TrialTable:
    """The trials as results would read them."""
    rows = tuple(
        Trial(m.id, f"run-{m.id}", "finished", m.params, m.budgets[1.0], m.budgets)
        for m in trials or made_trials()
    )
    return TrialTable(sweep, parse_goals(OBJECTIVES), rows, "Eight Gaussians, λ from 0.05 to 20, three seeds")


def write_sweep(
    uri: str, name: str, trials: list[Made], description: str = "", failing: str | None = None
) -> None:
    """Write the trials into a real MLflow store, the last one as failed if ``failing`` gives a reason."""
    from explorer.tracking import Tracker

    tracker = Tracker(uri, "tradeoff-explorer")
    tracker.open_sweep(name, OBJECTIVES, description, DOCUMENT)
    tracker.start([(m.id, m.params) for m in trials])
    for m in trials:
        for step, metrics in m.history:
            tracker.log(m.id, step, metrics)
        keyed = {f"K{k:g}/{n}": v for k, at in m.budgets.items() for n, v in at.items()}
        tracker.log(m.id, 4000, {**m.budgets[1.0], **keyed})
        tracker.artifacts(m.id, {"samples.json": json.dumps(m.samples), "curve.json": json.dumps(m.curve)})
        if failing is not None and m is trials[-1]:
            tracker.fail(m.id, failing)
        else:
            tracker.finish(m.id)
    tracker.close_sweep(interrupted=False)


def _made(config: dict[str, Scalar], points: int) -> Made:
    params = {"dataset.name": "gaussians8", "model.name": "mlp", "training.iterations": 4000, **config}
    identity = hashlib.sha256(json.dumps(params, sort_keys=True).encode()).hexdigest()[:12]
    rng = np.random.default_rng(int(identity, 16))
    lam = config.get("objective.lam")
    push = np.tanh(0.6 * np.log(lam)) if isinstance(lam, float) else 0.1 * rng.normal()
    loss = 0.12 if lam is None else 0.0
    precision = float(np.clip(0.74 + 0.2 * push - loss + 0.015 * rng.normal(), 0, 1))
    recall = float(np.clip(0.68 - 0.27 * push - loss + 0.015 * rng.normal(), 0, 1))
    budgets = {k: _read(precision, recall, k, rng) for k in BUDGETS}
    final = budgets[1.0]
    history = [
        (s, {n: v * (1 - np.exp(-s / 1200)) for n, v in final.items()}) for s in (500, 1000, 2000, 3000)
    ]
    return Made(
        identity,
        params,
        budgets,
        history,
        _samples(precision, recall, points, rng),
        _curve(precision, recall),
    )


def _read(precision: float, recall: float, k: float, rng: np.random.Generator) -> dict[str, float]:
    p = 1 - (1 - precision) / k**0.7
    r = recall * (1 - 0.06 * np.log(k))
    fid = 40 * (1 - p) ** 2 + 25 * (1 - r) ** 2 + 0.2 + 0.1 * abs(rng.normal())
    metrics = {"precision": p, "recall": r, "density": 1.1 * p, "coverage": 0.9 * r, "fid": fid}
    return {
        name: float(v)
        for name, v in {**metrics, "acceptance": 1 / k + 0.005 * rng.normal() * (k > 1)}.items()
    }


def _samples(precision: float, recall: float, n: int, rng: np.random.Generator) -> dict[str, object]:
    def modes(count: int, which: int, spread: float) -> np.ndarray:
        angle = 2 * np.pi * rng.integers(0, which, count) / 8
        return 2 * np.stack([np.cos(angle), np.sin(angle)], 1) + spread * rng.normal(size=(count, 2))

    fake = modes(n, max(2, round(8 * recall + 1.5)), 0.06 + 0.5 * (1 - precision))
    kept = {f"{k:g}": (fake[: int(n / k)] * 0.98).round(3).tolist() for k in BUDGETS[1:]}
    return {"real": modes(n, 8, 0.1).round(3).tolist(), "fake": fake.round(3).tolist(), "budgets": kept}


def _curve(precision: float, recall: float) -> dict[str, object]:
    beta = np.linspace(0.01, 0.999, 60) * (0.3 + 0.7 * recall)
    alpha = (0.3 + 0.7 * precision) * (1 - (beta / beta[-1]) ** 3) + 1e-3
    return {
        "lambda": (alpha / beta).tolist(),
        "precision": alpha.tolist(),
        "recall": beta.tolist(),
        "source": "exact",
    }
