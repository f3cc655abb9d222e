"""λ as an input against a training per λ, at equal cost: one model of all λ, or L models of one each?

    python benchmarks/lambda_input.py gaussians8 [--seeds 0 1 2 3 4] [--device cuda] [--markdown] [PATH=VALUE …]

Separate: L trainings of I iterations. Curve: one training of a model that takes λ, every sample at a λ of its own, as
long as all the others together; its networks multiply more per sample, so it has fewer steps than L · I (``--equal
steps``: as many). It is read at the same L values of λ and at 4 L, which costs nothing. Told per seed: the area that
the front dominates in (precision, recall) from (0, 0); the mean of α_λ / min(1, λ) of the models at their own λ,
where the law is known; Spearman's ρ of λ with both. The first argument is a recipe of this file, a preset or a sweep
file with an objective ``pr``; a base it has is trained first, for both. ``--curve`` settings are for the curve alone;
without any after it, it is trained as the others are.
``--control`` adds one training at the middle λ, as long. Settings are tried on seeds 100 and up.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
import torch
import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from explorer.api import load_sweep
from explorer.launch.cost import flops
from explorer.results.audit import spearman
from explorer.sweep import Sweep
from trainables.config import TrainingConfig, TrialConfig
from trainables.evaluation.evaluate import evaluate
from trainables.evaluation.reading import Evaluation
from trainables.evaluation.settings import ReadingPlan
from trainables.start import Start
from trainables.training.population import Population
from trainables.training.rows import TrialState

_IMAGES = {"batch_size": 64, "critic_steps": 1, "beta2": 0.999, "ema": 0.999, "precision": "bf16"}

RECIPES: Mapping[str, Mapping[str, Any]] = {
    "gaussians8": {
        "dataset": {"name": "gaussians8"},
        "model": {"name": "mlp_gan", "generator": [24, 24], "critic": [64, 64, 64]},
        "objective": {"name": "pr", "form": "step", "cover": 0.4},
        "training": {"iterations": 2400, "batch_size": 256, "critic_steps": 2},
        "evaluation": {"samples": 1000},
    },
    "gaussians25": {
        "dataset": {"name": "gaussians25"},
        "model": {"name": "mlp_gan", "size": "medium"},
        "objective": {"name": "pr", "form": "step", "cover": 0.4},
        "training": {"iterations": 10000, "batch_size": 512, "generator_lr": 2e-4, "critic_lr": 5e-4},
        "evaluation": {"samples": 2500},
    },
    "fashion_mnist": {
        "dataset": {"name": "fashion_mnist", "size": 32},
        "model": {"name": "dcgan", "width": 48},
        "base": {
            "objective": {"name": "gan"},
            "constraint": {"name": "spectral", "lipschitz": 8.0},
            "training": {**_IMAGES, "iterations": 15000, "generator_lr": 1.6e-3, "critic_lr": 1.6e-3},
        },
        "start": {"from": "base"},
        "objective": {"name": "pr", "form": "step", "sharpness": 2.0},
        "training": {
            **_IMAGES,
            "iterations": 5000,
            "critic_first": 1000,
            "generator_lr": 5e-4,
            "critic_lr": 1e-3,
            "compile": True,
        },
        "evaluation": {"samples": 10000, "repeats": 4},
    },
}
"""At the size of the presets; images as ``fashion-gan`` has them, a quarter as long and without its critic's
constraint, which one that takes λ cannot have: a base without λ for both."""


CURVE = ("objective.form=log", "objective.cover=0")
"""Of the curve: with the step, which hears only samples with λ r̂ near 1, precision and recall hardly move along λ."""


@dataclass(frozen=True)
class Arm:
    """What one way gave: evaluations by seed and λ, steps of a training, multiplications in all, seconds."""

    found: Mapping[tuple[int, float], Evaluation]
    iterations: int
    cost: float
    seconds: float

    def points(self, seed: int, lams: Sequence[float]) -> list[tuple[float, float]]:
        """(precision, recall) of a seed at these λ; a trial at fault has none."""
        metrics = [self.found[seed, lam].metrics for lam in lams]
        return [(one["precision"], one["recall"]) for one in metrics if one]

    def own_share(self, seed: int, lams: Sequence[float]) -> float:
        """The mean of α_λ / min(1, λ) of the models at their own λ; NaN where the law is not known."""
        curves = [self.found[seed, lam].curve for lam in lams]
        if not all(curve.get("lambda") for curve in curves):
            return float("nan")
        alphas = [np.interp(lam, c["lambda"], c["precision"]) for lam, c in zip(lams, curves, strict=True)]
        return fmean(alpha / min(1.0, lam) for alpha, lam in zip(alphas, lams, strict=True))


def area(points: Sequence[tuple[float, float]]) -> float:
    """What points dominate in (precision, recall), from (0, 0)."""
    total = height = 0.0
    for precision, recall in sorted(points, reverse=True):
        total += precision * max(0.0, recall - height)
        height = max(height, recall)
    return total


def trend(lams: Sequence[float], values: Sequence[float]) -> float:
    """Spearman's ρ with λ, 0 where nothing moves."""
    return (spearman(lams, values) or 0.0) if len(lams) == len(values) else float("nan")


def configs_of(sweep: Sweep, seeds: Sequence[int], **lams: Any) -> list[TrialConfig]:
    """The sweep's trial at λ, or over a range of it, for every seed."""
    return [sweep.trial({f"objective.{key}": value for key, value in lams.items()}, seed) for seed in seeds]


BASES: dict[str, TrialState] = {}
"""Final states of bases that were trained, by identity: both ways begin at the same where they can."""


def train_bases(configs: Sequence[TrialConfig], device: str, limit: int) -> None:
    """Those of the trials that are not there yet."""
    bases = {
        c.start.base: c.start.config
        for c in configs
        if c.start is not None and c.start.config is not None and c.start.base not in BASES
    }
    if bases:
        BASES.update(zip(bases, trained(list(bases.values()), device, limit), strict=True))


def trained(configs: Sequence[TrialConfig], device: str, limit: int) -> list[TrialState]:
    """Final states of trials of one shape, in packs; their bases are there."""
    states: list[TrialState] = []
    for begin in range(0, len(configs), limit):
        part = configs[begin : begin + limit]
        starts = [None if c.start is None else BASES[c.start.base] for c in part]
        population = Population(part, device=device, starts=starts)
        due, began = part[0].training.iterations, time.perf_counter()
        for tenth in range(1, 11):
            population.advance(due * tenth // 10 - population.iteration)
            told = f"{len(part)} trials: {population.iteration} of {due} iterations"
            print(f"{told}, {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
        states += population.states()
    return states


def read(
    bases: Sequence[TrialConfig],
    states: Sequence[TrialState],
    lams: Sequence[float],
    final: bool,
    sweep: Sweep,
    device: str,
) -> dict[tuple[int, float], Evaluation]:
    """Every curve at every λ: trials of no iterations that begin at it."""
    plan = ReadingPlan(sweep.plan.evaluation, ())
    found = {}
    for base, state in zip(bases, states, strict=True):
        readings = [
            replace(
                base,
                objective=replace(base.objective, lam=lam),  # type: ignore[call-arg]
                training=TrainingConfig(iterations=0),
                start=Start.at(base, "kept"),
            )
            for lam in lams
        ]
        population = Population(readings, device=device, starts=[state] * len(lams))
        told = evaluate(population, plan, final)
        found |= {(base.seed, lam): one for lam, one in zip(lams, told, strict=True)}
    return found


def multiplications(config: TrialConfig) -> float:
    """Floating-point operations of a training, its base not counted."""
    return (flops(config) or 0.0) * config.training.iterations


def separate(sweep: Sweep, lams: Sequence[float], given: argparse.Namespace) -> Arm:
    """L trainings per seed."""
    configs = [config for lam in lams for config in configs_of(sweep, given.seeds, lam=lam)]
    train_bases(configs, given.device, given.pack)
    began = time.perf_counter()
    states = trained(configs, given.device, given.pack)
    seconds = time.perf_counter() - began
    plan, found = ReadingPlan(sweep.plan.evaluation, ()), {}
    for begin in range(0, len(configs), given.pack):
        part = slice(begin, begin + given.pack)
        told = evaluate(Population(configs[part], states[part], given.device), plan, final=True)
        at = [(c.seed, c.objective.lam) for c in configs[part]]  # type: ignore[attr-defined]
        found |= dict(zip(at, told, strict=True))
    return Arm(found, configs[0].training.iterations, multiplications(configs[0]) * len(lams), seconds)


def curve(raw: Mapping[str, Any], lams: Sequence[float], budget: float, given: argparse.Namespace) -> Arm:
    """One training per seed, as long as ``budget`` allows, read at every λ."""
    span = list(given.train_range or given.range)
    middle = float(np.sqrt(span[0] * span[1]))
    first = load_sweep(raw, {"model.takes_lam": True, **settings(given.curve)}, seeds=given.seeds)
    (one,) = configs_of(first, given.seeds[:1], lam=middle, lams=span)
    steps = one.training.iterations
    longer = len(lams) if given.equal == "steps" else budget / multiplications(one)
    changes = {
        "training.iterations": round(longer * steps),
        "training.critic_first": round(longer * one.training.critic_first),
    }
    sweep = load_sweep(raw, {"model.takes_lam": True, **settings(given.curve), **changes}, seeds=given.seeds)
    configs = configs_of(sweep, given.seeds, lam=middle, lams=span)
    train_bases(configs, given.device, given.pack)
    began = time.perf_counter()
    states = trained(configs, given.device, given.pack)
    seconds = time.perf_counter() - began
    dense = [lam for lam in fine(lams) if lam not in lams]
    found = read(configs, states, lams, True, sweep, given.device)
    found |= read(configs, states, dense, False, sweep, given.device)
    return Arm(found, configs[0].training.iterations, multiplications(configs[0]), seconds)


def long_run(raw: Mapping[str, Any], lams: Sequence[float], given: argparse.Namespace) -> list[float]:
    """Areas of one training per seed at the middle λ, without λ as an input, as long as the L together: a control.

    What the curve has over the L and not over this is owed to λ; the rest to length.
    """
    short = load_sweep(raw, seeds=given.seeds).trial({}, given.seeds[0]).training
    changes = {
        "training.iterations": len(lams) * short.iterations,
        "training.critic_first": len(lams) * short.critic_first,
    }
    sweep = load_sweep(raw, changes, seeds=given.seeds)
    configs = configs_of(sweep, given.seeds, lam=lams[len(lams) // 2])
    train_bases(configs, given.device, given.pack)
    population = Population(configs, trained(configs, given.device, given.pack), given.device)
    told = evaluate(population, ReadingPlan(sweep.plan.evaluation, ()), final=False)
    return [area([(one.metrics["precision"], one.metrics["recall"])] if one.metrics else []) for one in told]


def fine(lams: Sequence[float]) -> list[float]:
    """4 L values of λ over the same range, those of the L among them."""
    places = (np.arange(3 * len(lams)) + 1 / 3) / (3 * len(lams))  # none where the L are, as a rule
    between = lams[0] * (lams[-1] / lams[0]) ** places
    return sorted({*lams, *(float(f"{lam:.6g}") for lam in between)})


def settings(words: Sequence[str]) -> dict[str, Any]:
    """``PATH=VALUE`` texts as changes of a sweep."""
    parts = [word.partition("=") for word in words]
    return {path: yaml.safe_load(value) for path, _, value in parts}


def table(alone: Arm, one: Arm, lams: Sequence[float], seeds: Sequence[int]) -> list[list[str]]:
    """A row per number: of both ways mean ± deviation over seeds, and at how many seeds the curve is ahead."""
    dense = fine(lams)

    def front(arm: Arm, at: Sequence[float]) -> list[float]:
        return [area(arm.points(seed, at)) for seed in seeds]

    def move(arm: Arm, which: int) -> list[float]:
        return [trend(lams, [point[which] for point in arm.points(seed, lams)]) for seed in seeds]

    def shares(arm: Arm) -> list[float]:
        return [arm.own_share(seed, lams) for seed in seeds]

    rows = [
        (f"area of the front at {len(lams)} λ", front(alone, lams), front(one, lams), True),
        (f"the same, the curve at {len(dense)} λ", front(alone, lams), front(one, dense), True),
        ("mean α_λ / min(1, λ) at the own λ", shares(alone), shares(one), True),
        ("ρ of λ with precision", move(alone, 0), move(one, 0), True),
        ("ρ of λ with recall", move(alone, 1), move(one, 1), False),
    ]
    out = []
    for title, a, b, larger in rows:
        if all(value == value for value in (*a, *b)):
            ahead = sum((y > x) if larger else (y < x) for x, y in zip(a, b, strict=True))
            out.append([title, spread(a), spread(b), f"{ahead} of {len(seeds)}"])
    out.append(["seconds of training, all seeds", f"{alone.seconds:.0f}", f"{one.seconds:.0f}", ""])
    return out


def spread(values: Sequence[float]) -> str:
    deviation = f" ± {stdev(values):.3f}" if len(values) > 1 else ""
    return f"{fmean(values):+.3f}{deviation}" if min(values) < 0 else f"{fmean(values):.3f}{deviation}"


def shown(rows: list[list[str]], markdown: bool) -> None:
    head = ["", "separate", "curve", "curve ahead"]
    if markdown:
        for row in (head, ["---"] * 4, *rows):
            print(f"| {' | '.join(row)} |")
        return
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(4)]
    for row in (head, *rows):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("recipe", help=f"{', '.join(RECIPES)}, a preset or a sweep file")
    parser.add_argument(
        "settings", nargs="*", metavar="PATH=VALUE", help="laid over the recipe, for both ways"
    )
    parser.add_argument("--curve", nargs="*", default=CURVE, metavar="PATH=VALUE", help="for the curve alone")
    parser.add_argument("--count", type=int, default=5, help="L, values of λ")
    parser.add_argument("--range", type=float, nargs=2, default=(0.1, 10.0), help="least and largest λ")
    parser.add_argument(
        "--train-range", type=float, nargs=2, help="of the curve's training; the same if left out"
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[100, 101, 102])
    parser.add_argument("--equal", choices=["multiplications", "steps"], default="multiplications")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--pack", type=int, default=64, help="trials side by side, at most")
    parser.add_argument("--control", action="store_true", help="train one λ alone for as long, too")
    parser.add_argument("--points", action="store_true", help="print precision and recall of every model too")
    parser.add_argument("--markdown", action="store_true")
    return parser.parse_args()


def main() -> None:
    given = arguments()
    raw: Any = {"name": given.recipe, **RECIPES[given.recipe]} if given.recipe in RECIPES else given.recipe
    sweep = load_sweep(raw, settings(given.settings), seeds=given.seeds)
    raw = {**sweep.document, "space": None}
    lams = [float(f"{lam:.6g}") for lam in np.geomspace(*given.range, given.count)]
    alone = separate(load_sweep(raw, seeds=given.seeds), lams, given)
    one = curve(raw, lams, alone.cost, given)
    told = [*given.settings, *(f"curve: {word}" for word in given.curve)]
    print(
        f"{given.recipe} {' '.join(told)}; λ {', '.join(f'{lam:.3g}' for lam in lams)}; seeds {given.seeds}; "
        f"{len(lams)} × {alone.iterations} iterations against {one.iterations}, multiplications "
        f"{one.cost / alone.cost:.2f} of theirs; {given.device}\n"
    )
    shown(table(alone, one, lams, given.seeds), given.markdown)
    if given.control:
        areas = long_run(raw, lams, given)
        print(f"\none training at λ = {lams[len(lams) // 2]:.3g}, as long as all: area {spread(areas)}")
    if given.points:
        for seed in given.seeds:
            for name, arm in (("separate", alone), ("curve", one)):
                points = " ".join(f"{p:.3f}/{r:.3f}" for p, r in arm.points(seed, lams))
                print(f"seed {seed} {name:>8}: {points}")


if __name__ == "__main__":
    main()
