"""Searches beside random search on the same budget: the hypervolume of what they find, as a ratio to random search's.

    python benchmarks/samplers.py [--points N --seeds S --searches tpe nsga2 … --problems ring …]

Every search runs through its own source, with its window: suggestion n knows the results of the points 0 … n - batch,
as in a sweep. Problems are cheap formulas in the shape of ours: λ on a logarithmic axis that applies to one objective
only, learning rates with a narrow good region, a Lipschitz constant that applies to one constraint, widths, seeds as
noise. Another problem, such as a real sweep, is one more ``Problem``: a space, objectives, a worst corner, and a
function from a point to its metrics.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

import numpy as np

from explorer.goals import minimised, parse_goals
from explorer.search import SEARCHES, Search, Study
from explorer.search.points.dice import seed_of
from explorer.sweep.axes import Condition, Interval, Listed, Point, as_text
from explorer.sweep.members import build_member
from explorer.sweep.space import Space

__all__ = ["PROBLEMS", "Problem", "Row", "compared", "hypervolume", "lines", "main", "tried"]


@dataclass(frozen=True)
class Problem:
    """What a search is let loose on.

    Attributes:
        goals: metrics with their direction.
        worst: of every metric the value at the corner up to which hypervolumes are measured.
        measure: the metrics of a point.
    """

    title: str
    space: Space
    goals: Mapping[str, str]
    worst: Mapping[str, float]
    measure: Callable[[Point], Mapping[str, float]]


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

PROBLEMS: dict[str, Problem] = {
    "ring": Problem(
        "precision, recall and FID over λ, rates, objective and constraint",
        _TRADE,
        {"precision": "max", "recall": "max", "fid": "min"},
        {"precision": 0.0, "recall": 0.0, "fid": 3.0},
        _ring,
    ),
    "pair": Problem(
        "precision and recall over the same",
        _TRADE,
        {"precision": "max", "recall": "max"},
        {"precision": 0.0, "recall": 0.0},
        _ring,
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
        _bent,
    ),
}


def tried(search: Search, problem: Problem, points: int) -> list[Mapping[str, float]]:
    """What a search of so many points measures; answers come in packs, the later half of each first."""
    source = search.source(problem.space, points, Study())
    found: list[Mapping[str, float]] = []
    while asked := source.ask(points):
        half = len(asked) // 2
        for one in (*asked[half:], *asked[:half]):
            metrics = problem.measure(one.point)
            found.append(metrics)
            source.tell(one.number, [metrics])
    return found


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
    problem: str, searches: Sequence[str], points: int, seeds: int, settings: Mapping[str, object]
) -> list[Row]:
    """Random search first, then the others, on the same number of points and the same seeds."""
    given = PROBLEMS[problem]
    volumes: dict[str, list[float]] = {}
    seconds: dict[str, float] = {}
    for name in dict.fromkeys(["random", *searches]):
        own = {key: value for key, value in settings.items() if key in SEARCHES[name].keys()}  # noqa: SIM118
        started = time.perf_counter()
        for seed in range(seeds):
            raw = {"name": name, "trials": points, "seed": seed, "objectives": dict(given.goals), **own}
            found = tried(build_member(SEARCHES, raw, "search"), given, points)
            volumes.setdefault(name, []).append(hypervolume(given, found))
        seconds[name] = (time.perf_counter() - started) / (seeds * points)
    usual = fmean(volumes["random"])
    return [Row(problem, name, tuple(v / usual for v in volumes[name]), seconds[name]) for name in volumes]


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
    parser.add_argument("--problems", nargs="+", default=list(PROBLEMS), choices=list(PROBLEMS))
    parser.add_argument("--batch", type=int)
    parser.add_argument("--population", type=int)
    chosen = parser.parse_args(argv)
    settings = {key: getattr(chosen, key) for key in ("batch", "population") if getattr(chosen, key)}
    print(
        f"{chosen.points} points, {chosen.seeds} seeds" + "".join(f", {k} {v}" for k, v in settings.items())
    )
    for problem in chosen.problems:
        rows = compared(problem, chosen.searches, chosen.points, chosen.seeds, settings)
        print("\n".join(lines(rows) if problem == chosen.problems[0] else lines(rows)[2:]), flush=True)


if __name__ == "__main__":
    main()
