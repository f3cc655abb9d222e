"""Searches beside random search on the same budget: the hypervolume of what they find, as a ratio to random search's.

    python benchmarks/samplers.py [--points N --seeds S --searches tpe nsga2 … --problems ring …]
    python benchmarks/samplers.py --problems gaussians25 --seeds 5 [--iterations 3000]

Every search runs through its own source, with its window: suggestion n knows the results of the points 0 … n - batch,
as in a sweep. ``gaussians25`` trains: GANs of the preset gaussians-25-small, with four of its objectives, λ and both
rates to be found. What all searches of all seeds ask for is trained in one pack, here and without Ray, at the seed of
its search; minutes on a GPU. The others are cheap formulas in the shape of ours: λ on a logarithmic axis that applies
to one objective only, learning rates with a narrow good region, a Lipschitz constant that applies to one constraint,
widths, seeds as noise.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean, stdev

import numpy as np

from explorer.goals import minimised, parse_goals
from explorer.search import SEARCHES, Search, Study
from explorer.search.points.dice import seed_of
from explorer.search.points.source import Asked, PointSource
from explorer.sweep import Sweep, load_sweep
from explorer.sweep.axes import Condition, Interval, Listed, Point, as_text
from explorer.sweep.members import build_member
from explorer.sweep.space import Space

__all__ = ["PROBLEMS", "Problem", "Row", "compared", "hypervolume", "lines", "main", "tried"]

Metrics = Mapping[str, float]

Measured = Sequence[Metrics | None]
"""Of every point its metrics; None where there are none, as of a training that diverged."""

TRAINED = 512
"""Trials to a pack at most."""


@dataclass(frozen=True)
class Problem:
    """What a search is let loose on.

    Attributes:
        goals: metrics with their direction.
        worst: of every metric the value at the corner up to which hypervolumes are measured.
        measure: the metrics of points, each with the seed of who asks for it.
    """

    title: str
    space: Space
    goals: Mapping[str, str]
    worst: Metrics
    measure: Callable[[Sequence[tuple[Point, int]]], Measured]


def _each(formula: Callable[[Point], Metrics], asked: Sequence[tuple[Point, int]]) -> Measured:
    return [formula(point) for point, _ in asked]


def _only(path: str, value: object) -> tuple[Condition, ...]:
    return (Condition(path, frozenset({as_text(value)})),)


def _log(low: float, high: float, when: tuple[Condition, ...] = ()) -> Interval:
    return Interval(low, high, log=True, whole=False, steps=None, when=when)


def _decades(value: float, best: float) -> float:
    return abs(math.log10(value / best))


def _noise(point: Point, scale: float) -> float:
    """The same for the same point, as a trial of one seed would be."""
    return scale * float(np.random.default_rng(seed_of(as_text(point))).normal())


def _ring(point: Point) -> dict[str, float]:
    """λ trades precision for recall where rates are right; each objective without a λ is one point of the trade-off."""
    name = point["objective.name"]
    lam = math.log10(point["objective.lam"]) if name == "pr" else {"kl": -0.6, "gan": 0.3}[name]
    held = point["constraint.name"] == "spectral"
    loss = 0.35 * _decades(point["training.generator_lr"], 1.5e-3) + 0.25 * _decades(
        point["training.critic_lr"], 4e-3 if held else 1e-3
    )
    loss += 0.3 * _decades(point["constraint.lipschitz"], 12.0) if held else 0.15
    loss += {1: 0.3, 2: 0.0, 4: 0.02, 8: 0.06}[point["model.latent"]] + 0.05 * (name != "pr")
    share = 1 / (1 + math.exp(-1.6 * lam))
    return {
        "precision": max(0.0, share**0.6 * (1 - loss) + _noise(point, 0.01)),
        "recall": max(0.0, (1 - share) ** 0.6 * (1 - loss) + _noise({**point, "": 1}, 0.01)),
        "fid": 0.2 + 2 * loss + 0.3 * abs(lam),
    }


def _bent(point: Point) -> dict[str, float]:
    """ZDT1's shape (Zitzler et al. 2000): a front that is met only where all other axes are right."""
    first = (math.log10(point["a"]) + 2) / 4
    others = [abs(point[path] - 0.3) for path in ("b", "c", "d")]
    g = 1 + 3 * fmean(others) + {"x": 0.0, "y": 0.4, "z": 0.8}[point["kind"]]
    return {"one": first, "two": g * (1 - math.sqrt(first / g))}


def _line(low: float, high: float) -> Interval:
    return Interval(low, high, log=False, whole=False, steps=None)


_TRADE = Space(
    (
        {
            "objective.name": Listed(("pr", "kl", "gan")),
            "objective.lam": _log(0.02, 50.0, _only("objective.name", "pr")),
            "constraint.name": Listed(("none", "spectral")),
            "constraint.lipschitz": _log(1.0, 200.0, _only("constraint.name", "spectral")),
            "training.generator_lr": _log(1e-5, 1e-1),
            "training.critic_lr": _log(1e-5, 1e-1),
            "model.latent": Listed((1, 2, 4, 8)),
        },
    )
)
"""λ, rates, objective and constraint, as a sweep would vary them."""


def _trained(sweep: Sweep, asked: Sequence[tuple[Point, int]]) -> Measured:
    """Trained to their ends in packs, and read."""
    import torch

    from trainables.evaluation.evaluate import evaluate
    from trainables.training.population import Population

    device = "cuda" if torch.cuda.is_available() else "cpu"
    configs = [sweep.trial(point, seed) for point, seed in asked]
    found: list[Metrics | None] = []
    for first in range(0, len(configs), TRAINED):
        population = Population(configs[first : first + TRAINED], device=device)
        population.advance(configs[0].training.iterations)
        found += [
            one.metrics if one.fault is None else None for one in evaluate(population, sweep.plan, final=True)
        ]
    return found


def gaussians25(changes: Mapping[str, object]) -> Problem:
    """GANs on 25 Gaussians: which objective, at which λ, at which rates."""
    rates = {
        "training.generator_lr": {"log_range": [1e-5, 1e-2]},
        "training.critic_lr": {"log_range": [1e-5, 1e-2]},
    }
    searched = {
        "refinement": {"budgets": [1]},
        "search": {"name": "random", "trials": 1},
        "space": [
            {"objective.name": ["kl", "gan", "hinge"], **rates},
            {"objective.name": ["pr"], "objective.lam": {"log_range": [0.05, 20]}, **rates},
        ],
    }
    sweep = load_sweep("gaussians-25-small", searched | changes)
    return Problem(
        "precision, recall and FID of GANs on 25 Gaussians over objective, λ and rates",
        sweep.space,
        {"precision": "max", "recall": "max", "fid": "min"},
        {"precision": 0.0, "recall": 0.0, "fid": 1.0},
        partial(_trained, sweep),
    )


PROBLEMS: dict[str, Problem] = {
    "ring": Problem(
        "precision, recall and FID over λ, rates, objective and constraint",
        _TRADE,
        {"precision": "max", "recall": "max", "fid": "min"},
        {"precision": 0.0, "recall": 0.0, "fid": 3.0},
        partial(_each, _ring),
    ),
    "pair": Problem(
        "precision and recall over the same",
        _TRADE,
        {"precision": "max", "recall": "max"},
        {"precision": 0.0, "recall": 0.0},
        partial(_each, _ring),
    ),
    "bent": Problem(
        "two objectives, four numbers and a kind",
        Space(
            (
                {
                    "a": _log(0.01, 100.0),
                    **{path: _line(0.0, 1.0) for path in "bcd"},
                    "kind": Listed(("z", "y", "x")),
                },
            )
        ),
        {"one": "min", "two": "min"},
        {"one": 1.1, "two": 1.6},
        partial(_each, _bent),
    ),
}


@dataclass
class _Trying:
    """A search at work: what it has found, and the seconds in which it chose."""

    source: PointSource
    seed: int
    found: list[Metrics]
    seconds: float = 0.0

    def ask(self, points: int) -> list[Asked]:
        started = time.perf_counter()
        asked = self.source.ask(points)
        self.seconds += time.perf_counter() - started
        # Packs end in any order: the later half is told first.
        half = len(asked) // 2
        return [*asked[half:], *asked[:half]]

    def tell(self, one: Asked, metrics: Metrics | None) -> None:
        known = [] if metrics is None else [metrics]
        self.found += known
        self.source.tell(one.number, known)


def tried(searches: Sequence[Search], problem: Problem, points: int) -> list[_Trying]:
    """Searches of so many points each, side by side: in every round all that they ask for is measured at once."""
    trying = [
        _Trying(search.source(problem.space, points, Study()), getattr(search, "seed", 0), [])
        for search in searches
    ]
    while asked := [(one, own) for own in trying for one in own.ask(points)]:
        measured = problem.measure([(one.point, own.seed) for one, own in asked])
        for (one, own), metrics in zip(asked, measured, strict=True):
            own.tell(one, metrics)
    return trying


def hypervolume(problem: Problem, found: Iterable[Mapping[str, float]]) -> float:
    """The volume that the measured points dominate, up to the worst corner."""
    import moocore

    goals = parse_goals(dict(problem.goals))
    values = minimised(goals, found)
    corner = minimised(goals, [problem.worst])[0]
    return float(moocore.hypervolume(values, ref=corner))


@dataclass(frozen=True)
class Row:
    """One search on one problem: hypervolumes by seed as ratios to random search's mean, and seconds a point."""

    problem: str
    search: str
    ratios: tuple[float, ...]
    seconds: float

    def line(self) -> str:
        """A row of the table."""
        error = stdev(self.ratios) / math.sqrt(len(self.ratios)) if len(self.ratios) > 1 else math.nan
        return (
            f"| {self.problem} | {self.search} | {fmean(self.ratios):.3f} ± {error:.3f} | "
            f"{min(self.ratios):.3f} | {1000 * self.seconds:.0f} |"
        )


def compared(
    title: str,
    problem: Problem,
    searches: Sequence[str],
    points: int,
    seeds: int,
    settings: Mapping[str, object],
) -> list[Row]:
    """Random search first, then the others, on the same number of points and the same seeds."""
    names = list(dict.fromkeys(["random", *searches]))
    asked = []
    for name in names:
        own = {key: value for key, value in settings.items() if key in SEARCHES[name].keys()}  # noqa: SIM118
        for seed in range(seeds):
            raw = {"name": name, "trials": points, "seed": seed, "objectives": dict(problem.goals), **own}
            asked.append(build_member(SEARCHES, raw, "search"))
    trying = tried(asked, problem, points)
    volumes, seconds = {}, {}
    for at, name in enumerate(names):
        own = trying[at * seeds : (at + 1) * seeds]
        volumes[name] = [hypervolume(problem, one.found) for one in own]
        seconds[name] = sum(one.seconds for one in own) / (seeds * points)
    usual = fmean(volumes["random"])
    return [Row(title, name, tuple(v / usual for v in volumes[name]), seconds[name]) for name in names]


def lines(rows: Iterable[Row]) -> list[str]:
    """The table."""
    head = ["| problem | search | hypervolume / random | least | ms a point |", "|---|---|---|---|---|"]
    return [*head, *(row.line() for row in rows)]


def main(argv: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--points", type=int, default=64)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--searches", nargs="+", default=["sobol", "tpe", "nsga2", "nsga3", "gp"])
    parser.add_argument(
        "--problems", nargs="+", default=list(PROBLEMS), choices=[*PROBLEMS, gaussians25.__name__]
    )
    parser.add_argument("--iterations", type=int, default=3000, help="of a training of gaussians25")
    parser.add_argument("--batch", type=int)
    parser.add_argument("--population", type=int)
    chosen = parser.parse_args(argv)
    settings = {key: getattr(chosen, key) for key in ("batch", "population") if getattr(chosen, key)}
    print(
        f"{chosen.points} points, {chosen.seeds} seeds" + "".join(f", {k} {v}" for k, v in settings.items())
    )
    for name in chosen.problems:
        problem = (
            PROBLEMS[name] if name in PROBLEMS else gaussians25({"training.iterations": chosen.iterations})
        )
        rows = compared(name, problem, chosen.searches, chosen.points, chosen.seeds, settings)
        print("\n".join(lines(rows) if name == chosen.problems[0] else lines(rows)[2:]), flush=True)


if __name__ == "__main__":
    main()
