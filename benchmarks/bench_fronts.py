"""Front, ranks, attainment and hypervolume of a cloud of trials, against optuna's own functions in the same run.

    python benchmarks/bench_fronts.py [--trials 10000] [--seeds 4] [--repeats 3]

Three objectives, smaller better, of four clouds: *random* fills a cube, so that a few trials are on the front and there
are dozens of ranks; *realistic* has configurations of a few seeds along a trade-off between precision, recall and FID;
of *sphere* every trial is on the front; of *chain* each dominates the next, so that every trial is a front of its own.
All sides are timed in turn, ``--repeats`` times, and the best counts; a side that takes longer than ``--patience``
seconds is timed once. Optuna has no attainment: ours, the bands of the first two objectives and the share of the seeds
that attain each trial in all three, counts in our sum and not in theirs.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version

import numpy as np

from explorer.pareto.attainment import attained, attainment
from explorer.pareto.dominance import front_mask, hypervolume, ranks

Points = np.ndarray
WANTED = 1.0  # seconds, for all four


def random_cloud(trials: int, seeds: int) -> Points:
    return np.random.default_rng(0).random((trials, 3))


def realistic_cloud(trials: int, seeds: int) -> Points:
    """Configurations along a trade-off, some of them worse all over, with the noise of their seeds."""
    rng = np.random.default_rng(1)
    count = -(-trials // seeds)
    lean, lost = rng.random(count), 0.25 * rng.random(count) ** 2
    precision = 0.95 - 0.5 * lean**2 - lost
    recall = 0.95 - 0.5 * (1 - lean) ** 2 - lost
    fid = 40 * (1 - precision) ** 2 + 25 * (1 - recall) ** 2
    points = np.repeat(np.stack((-precision, -recall, fid), axis=1), seeds, axis=0)[:trials]
    return points + rng.normal(size=points.shape) * [0.01, 0.01, 0.2]


def sphere_cloud(trials: int, seeds: int) -> Points:
    points = np.abs(np.random.default_rng(2).normal(size=(trials, 3)))
    return -points / np.linalg.norm(points, axis=1, keepdims=True)


def chain_cloud(trials: int, seeds: int) -> Points:
    return np.repeat(np.random.default_rng(3).random((trials, 1)), 3, axis=1)


CLOUDS: dict[str, Callable[[int, int], Points]] = {
    "random": random_cloud,
    "realistic": realistic_cloud,
    "sphere": sphere_cloud,
    "chain": chain_cloud,
}


def best(repeats: int, patience: float, *actions: Callable[[], object]) -> list[float]:
    """The best time of every action; rounds go through all of them, so that busy moments meet every side."""
    times: list[list[float]] = [[] for _ in actions]
    for _ in range(repeats):
        for action, seen in zip(actions, times, strict=True):
            if not seen or seen[0] < patience:
                start = time.perf_counter()
                action()
                seen.append(time.perf_counter() - start)
    return [min(seen) for seen in times]


def machine() -> str:
    return (
        f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n"
        f"Python {platform.python_version()}, NumPy {np.__version__}, moocore {version('moocore')}, "
        f"optuna {version('optuna')}"
    )


def line(what: str, ours: float, theirs: float | None, detail: str) -> None:
    against = (
        f"{theirs / ours:9.1f}x  {theirs * 1e3:11.1f} ms" if theirs is not None else f"{'–':>10}  {'–':>14}"
    )
    print(f"{what:<28} {ours * 1e3:9.1f} ms {against}   {detail}", flush=True)


def compare(name: str, points: Points, seeds: np.ndarray, repeats: int, patience: float) -> None:
    """Lines of one cloud."""
    from optuna._hypervolume import compute_hypervolume
    from optuna.study._multi_objective import _fast_non_domination_rank, _is_pareto_front

    corner = points.max(axis=0)
    found: dict[str, np.ndarray | float] = {}
    pairs: tuple[tuple[str, Callable[[], np.ndarray | float], Callable[[], np.ndarray | float]], ...] = (
        (
            "front",
            lambda: front_mask(points),
            lambda: _is_pareto_front(points, assume_unique_lexsorted=False),
        ),
        ("ranks", lambda: ranks(points), lambda: _fast_non_domination_rank(points)),
        ("hypervolume", lambda: hypervolume(points, corner), lambda: compute_hypervolume(points, corner)),
    )
    total, their_total = 0.0, 0.0
    for what, mine, theirs in pairs:
        ours, other = best(
            repeats,
            patience,
            lambda w=what, f=mine: found.update({w: f()}),  # type: ignore[misc]
            lambda w=what, f=theirs: found.update({f"their {w}": f()}),  # type: ignore[misc]
        )
        line(f"{name}: {what}", ours, other, _agreement(found[what], found[f"their {what}"]))
        total, their_total = total + ours, their_total + other
    (bands,) = best(repeats, patience, lambda: attainment(points[:, :2], seeds))
    line(f"{name}: attainment bands", bands, None, "25, 50 and 75 % of the seeds, the first two objectives")
    shares: list[np.ndarray] = []
    (spatial,) = best(repeats, patience, lambda: shares.append(attained(points, seeds, points)))
    line(f"{name}: attainment", spatial, None, f"mean share {shares[-1].mean():.3f}, three objectives")
    total += bands + spatial
    on_front, fronts = int(np.sum(found["front"])), int(np.max(found["ranks"])) + 1
    line(
        f"{name}: together",
        total,
        their_total,
        f"wanted < {WANTED:g} s; {on_front} on the front, {fronts} fronts",
    )


def _agreement(ours: np.ndarray | float, theirs: np.ndarray | float) -> str:
    if isinstance(ours, float):
        return f"{ours:.6f}, theirs differs by {abs(ours - float(theirs)):.0e}"
    differ = int((np.asarray(ours) != np.asarray(theirs)).sum())
    return "the same" if not differ else f"{differ} trials differ"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--patience", type=float, default=5.0)
    parser.add_argument("--clouds", nargs="+", choices=CLOUDS, default=list(CLOUDS))
    options = parser.parse_args(arguments)
    print(machine())
    print(f"{options.trials} trials × 3 objectives, {options.seeds} seeds, best of {options.repeats}")
    print(f"{'':<28} {'ours':>12} {'ratio':>10}  {'optuna':>14}")
    seeds = np.arange(options.trials) % options.seeds
    for name in options.clouds:
        points = CLOUDS[name](options.trials, options.seeds)
        compare(name, points, seeds, options.repeats, options.patience)


if __name__ == "__main__":
    main()
