"""Metrics against their peers, side by side in the same run. Prints one ratio per line.

    python benchmarks/bench_metrics.py [--samples 10000] [--dimension 2048] [--repeats 2]

All sides are timed ``--repeats`` times in turn, and on until the best of each has stood for ten seconds, none for more
than a minute. What the machine under this one took away meanwhile is printed: threads that wait for each other suffer
from it most. Peak memory is measured in a process of its own per side: what it holds at most beyond the two feature
arrays.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from trainables.measures import (
    frechet_distance,
    kmeans,
    precision_recall_density_coverage,
    quantise,
)
from trainables.measures.knn.products import full_float32

K = 5
STANDS_FOR = 10.0  # seconds
BETTER = 0.98
MOST_SECONDS = 60.0


def feature_sets(samples: int, dimension: int) -> tuple[np.ndarray, np.ndarray]:
    """Two sets with the spectrum of Inception features: variances falling as a power of the rank, non-negative."""
    rng = np.random.default_rng(0)
    scales = (np.arange(1, dimension + 1) ** -0.5).astype(np.float32)
    real = np.abs(rng.standard_normal((samples, dimension), dtype=np.float32) * scales)
    fake = np.abs(rng.standard_normal((samples, dimension), dtype=np.float32) * scales * np.float32(0.97))
    return real, fake


def best(repeats: int, *actions: Callable[[], object]) -> list[float]:
    """The best time of every action; rounds go through all of them, so that busy and quiet moments meet every side.

    Rounds go on until the best of each has stood for a while: machines are busy for longer than that.
    """
    times: list[list[float]] = [[] for _ in actions]
    taken, since = _stolen(), time.perf_counter()
    while any(_wanting(seen, repeats) for seen in times):
        for action, seen in zip(actions, times, strict=True):
            if len(seen) < repeats or sum(seen) < MOST_SECONDS:
                start = time.perf_counter()
                action()
                seen.append(time.perf_counter() - start)
    share = (_stolen() - taken) / (time.perf_counter() - since) / (os.cpu_count() or 1)
    rounds = ", ".join(str(len(seen)) for seen in times)
    print(
        f"timed {rounds} times; {share:.1%} of the processors' time was taken by the machine under this one"
    )
    return [min(seen) for seen in times]


def _wanting(seen: list[float], repeats: int) -> bool:
    if len(seen) < repeats:
        return True
    last = max(at for at, took in enumerate(seen) if not at or took < BETTER * min(seen[:at]))
    return sum(seen[last + 1 :]) < STANDS_FOR and sum(seen) < MOST_SECONDS


def _stolen() -> float:
    """Seconds in which processors of this machine had work and were not run by the one under it (Linux)."""
    stat = Path("/proc/stat")
    ticks = int(stat.read_text().split("\n", 1)[0].split()[8]) if stat.exists() else 0
    return ticks / os.sysconf("SC_CLK_TCK")


def machine() -> str:
    """What the figures depend on: architecture, processor, threads, versions, BLAS of torch and of NumPy, load."""
    listed = subprocess.run(["lscpu"], capture_output=True, text=True, check=False).stdout
    model = re.search(r"Model name:\s*(.+)", listed)
    blas = re.search(r"BLAS_INFO=(\w+)", torch.__config__.show())
    of_numpy = np.show_config("dicts")["Build Dependencies"]["blas"]
    return (
        f"{platform.machine()}, {model.group(1) if model else 'unknown CPU'}, {os.cpu_count()} cores, "
        f"{torch.get_num_threads()} threads, load {os.getloadavg()[0]:.1f}\n"
        f"Python {platform.python_version()}, torch {torch.__version__} with BLAS {blas.group(1) if blas else '?'}, "
        f"NumPy {np.__version__} with {of_numpy['name']} {of_numpy['version']}"
    )


def line(what: str, ratio: float, wanted: str, detail: str) -> None:
    print(f"{what:<58} {ratio:7.2f}x   (wanted {wanted})   {detail}", flush=True)


def ours(real: np.ndarray, fake: np.ndarray) -> dict[str, float]:
    scores = precision_recall_density_coverage(real, fake, K, strict=True)
    return {name: getattr(scores, name) for name in ("precision", "recall", "density", "coverage")}


def prdc(real: np.ndarray, fake: np.ndarray) -> dict[str, float]:
    from prdc import compute_prdc

    with contextlib.redirect_stdout(io.StringIO()):
        return compute_prdc(real, fake, K)


def bare_products(real: np.ndarray, fake: np.ndarray) -> None:
    """The three matrix products the distances need, in tiles, nothing kept."""
    x, y = torch.from_numpy(real), torch.from_numpy(fake)
    with full_float32():
        for left, right in ((x, x), (y, y), (x, y)):
            for rows in left.split(1024):
                for columns in right.split(1024):
                    torch.mm(rows, columns.T)


def extra_memory(side: Callable[[np.ndarray, np.ndarray], object], samples: int, dimension: int) -> float:
    """Megabytes held at most beyond what was held before the call (Linux: the kernel's own high-water mark)."""
    real, fake = feature_sets(samples, dimension)
    side(real[:200], fake[:200])
    Path("/proc/self/clear_refs").write_text("5")  # set the mark back to what is held now
    before = _status("VmRSS")
    side(real, fake)
    return (_status("VmHWM") - before) / 1024


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def peak_memory(side: str, samples: int, dimension: int) -> float:
    """``extra_memory`` in a fresh process: allocators keep what earlier calls have freed."""
    code = (
        "import sys; sys.path[:0] = ['.', 'benchmarks']; import bench_metrics as b;"
        f"print(b.extra_memory(b.{side}, {samples}, {dimension}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def neighbours(samples: int, dimension: int, repeats: int) -> None:
    real, fake = feature_sets(samples, dimension)
    found: dict[str, float] = {}
    theirs: dict[str, float] = {}
    mine, other, bare = best(
        repeats,
        lambda: found.update(ours(real, fake)),
        lambda: theirs.update(prdc(real, fake)),
        lambda: bare_products(real, fake),
    )
    worst = max(abs(found[name] - theirs[name]) for name in found)
    print(
        f"k-NN scores agree with prdc to {worst:.1e}: " + ", ".join(f"{k} {v:.4f}" for k, v in found.items())
    )
    shape = f"N={samples}, d={dimension}"
    line(f"k-NN metrics: prdc's time / ours, {shape}", other / mine, "≥ 3", f"{other:.1f} s / {mine:.1f} s")
    line("k-NN metrics: ours / the three bare products", mine / bare, "≤ 1.4", f"{mine:.1f} s / {bare:.1f} s")
    # Two of the products are symmetric; half of each is enough.
    needed = bare * 2 / 3
    line(
        "k-NN metrics: ours / the products with symmetry used",
        mine / needed,
        "≤ 1.4",
        f"{mine:.1f} s / {needed:.1f} s",
    )
    held, theirs_held = (peak_memory(side, samples, dimension) for side in ("ours", "prdc"))
    line(
        "k-NN metrics: our extra memory / prdc's",
        held / theirs_held,
        "≤ 0.2",
        f"{held:.0f} MB / {theirs_held:.0f} MB",
    )


def frechet(dimension: int, repeats: int) -> None:
    from scipy.linalg import sqrtm

    rng = np.random.default_rng(1)
    scales = np.arange(1, dimension + 1) ** -0.5
    c1, c2 = (
        np.cov(rng.normal(size=(2 * dimension, dimension)) * scales * f, rowvar=False) for f in (1, 1.1)
    )
    zero = torch.zeros(dimension, dtype=torch.float64)
    t1, t2 = torch.from_numpy(c1), torch.from_numpy(c2)
    mine, other = best(repeats, lambda: frechet_distance(zero, t1, zero, t2), lambda: sqrtm(c1 @ c2))
    root = sqrtm(c1 @ c2)
    gap = abs(frechet_distance(zero, t1, zero, t2) - float(np.trace(c1 + c2 - 2 * root.real)))
    line(
        f"Fréchet trace: scipy.linalg.sqrtm / ours, d={dimension}",
        other / mine,
        "≥ 10",
        f"{other:.1f} s / {mine:.2f} s, values differ by {gap:.0e}",
    )


def prd(samples: int, dimension: int, repeats: int, clusters: int = 20, runs: int = 10) -> None:
    from sklearn.cluster import MiniBatchKMeans

    real, fake = feature_sets(samples, dimension)
    union = np.concatenate([real, fake])
    fits: list[MiniBatchKMeans] = []

    def fit() -> None:
        fits[:] = [MiniBatchKMeans(clusters, n_init=10, random_state=seed).fit(union) for seed in range(runs)]

    mine, other = best(repeats, lambda: quantise(real, fake, clusters, runs), fit)
    theirs = np.mean([fit.inertia_ for fit in fits]) / len(union)
    quality = float(kmeans(torch.from_numpy(union), clusters, runs).inertia.mean())
    line(
        f"PRD: {runs} mini-batch k-means of scikit-learn / ours",
        other / mine,
        "≥ 5",
        f"{other:.1f} s / {mine:.1f} s, mean squared distance {theirs:.5f} / {quality:.5f} (smaller is better)",
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=10_000)
    parser.add_argument("--dimension", type=int, default=2048)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--only", choices=("neighbours", "frechet", "prd"))
    options = parser.parse_args()
    print(machine())
    if options.only in (None, "neighbours"):
        neighbours(options.samples, options.dimension, options.repeats)
    if options.only in (None, "frechet"):
        frechet(options.dimension, options.repeats)
    if options.only in (None, "prd"):
        prd(options.samples, options.dimension, options.repeats)


if __name__ == "__main__":
    main()
