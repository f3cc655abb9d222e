"""Precision, recall, density, coverage and FID at full size on one GPU, checked against float64.

    python benchmarks/gpu_metrics.py [--samples 50000] [--dimension 2048] [--repeats 3]

Needs torch with CUDA and this repository, nothing else. Times are between CUDA events around the whole call (all
launches, all synchronisation, every host decision), best of ``--repeats`` after one warm-up. Products run in full
float32: TF32 is off, and every decision a float32 product leaves open is settled in float64.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from trainables.measures.frechet import _root_trace, _root_trace_polar, frechet_distance, gaussian_statistics
from trainables.measures.knn.cut import Cut
from trainables.measures.knn.membership import dense_membership
from trainables.measures.knn.neighbours import ball_counts, knn_radii, precision_recall_density_coverage
from trainables.measures.knn.products import Points, full_float32

K = 5


def feature_sets(samples: int, dimension: int, device: str) -> tuple[Tensor, Tensor]:
    """Two sets with falling variances and non-negative entries, as Inception features have."""
    generator = torch.Generator(device=device).manual_seed(0)
    scales = torch.arange(1, dimension + 1, device=device) ** -0.5
    real, fake = (
        (torch.randn(samples, dimension, generator=generator, device=device) * scales * s).abs_()
        for s in (1, 0.97)
    )
    return real, fake


def best(action: Callable[[], object], repeats: int) -> float:
    """Seconds between CUDA events around the call."""
    action()
    times = []
    for _ in range(repeats):
        torch.cuda.synchronize()
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        action()
        stop.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(stop) / 1000)
    return min(times)


def check(device: str, dimension: int) -> None:
    """Every count against float64 brute force, with copies across the sets; FID against eigenvalues."""
    for n, m in ((1500, 1300), (5000, 4100)):
        real, fake = feature_sets(max(n, m), dimension, device)
        real, fake = real[:n].clone(), fake[:m].clone()
        fake[:50] = real[:50]
        counts = ball_counts(real, fake, K)
        radii = []
        for x in (real, fake):
            distances = torch.cdist(x.double(), x.double(), compute_mode="donot_use_mm_for_euclid_dist")
            distances.fill_diagonal_(torch.inf)
            radii.append(distances.topk(K, dim=1, largest=False).values[:, -1])
        across = torch.cdist(real.double(), fake.double(), compute_mode="donot_use_mm_for_euclid_dist")
        # Ties (the copies) may round differently here: leave pairs within 1e-12 of a radius out of the comparison.
        for found, inside, near, dim in (
            (
                counts.real_balls_around_fake,
                across <= radii[0][:, None],
                (across / radii[0][:, None] - 1).abs(),
                0,
            ),
            (
                counts.fakes_in_real_ball,
                across <= radii[0][:, None],
                (across / radii[0][:, None] - 1).abs(),
                1,
            ),
            (counts.fake_balls_around_real, across <= radii[1], (across / radii[1] - 1).abs(), 1),
            (counts.reals_in_fake_ball, across <= radii[1], (across / radii[1] - 1).abs(), 0),
        ):
            low = (inside & (near > 1e-12)).sum(dim)
            high = (inside | (near <= 1e-12)).sum(dim)
            wrong = int(((found < low) | (found > high)).sum())
            assert wrong == 0, f"{wrong} counts differ from float64 brute force"
        gap = float((knn_radii(real, K) / radii[0] - 1).abs().max())
        assert gap < 1e-12, f"radii differ by {gap:.1e}"
        print(f"check n={n}, m={m}: all counts as float64 brute force, radii to {gap:.0e}: {counts.scores()}")
    mine = frechet_distance(*gaussian_statistics(real), *gaussian_statistics(fake))
    theirs = frechet_distance(*gaussian_statistics(real.cpu()), *gaussian_statistics(fake.cpu()))
    print(f"check FID: {mine:.10f} on the GPU by products, {theirs:.10f} on the CPU by eigenvalues")
    assert abs(mine - theirs) < 1e-6 * max(1.0, theirs)


def bare_products(real: Tensor, fake: Tensor, side: int = 16384) -> None:
    """The three products in tiles, nothing kept."""
    with full_float32():
        for left, right in ((real, real), (fake, fake), (real, fake)):
            for rows in left.split(side):
                for columns in right.split(side):
                    torch.mm(rows, columns.T)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=50_000)
    parser.add_argument("--dimension", type=int, default=2048)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()
    n, d, device, repeats = options.samples, options.dimension, options.device, options.repeats
    print(f"{torch.cuda.get_device_name(device)}, torch {torch.__version__}, float32 products without TF32")
    check(device, d)
    real, fake = feature_sets(n, d, device)
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    bare = best(lambda: bare_products(real, fake), repeats)
    rate = 3 * 2 * n * n * d / bare / 1e12
    print(f"{'three bare products':<52} {bare:7.3f} s   {rate:.1f} TFLOP/s")
    whole = best(lambda: precision_recall_density_coverage(real, fake, K), repeats)
    ratio = f"wanted ≤ 0.9; {whole / bare:.2f}x the bare products"
    print(f"{'precision, recall, density, coverage':<52} {whole:7.3f} s   {ratio}")
    radii = knn_radii(real, K)
    known = best(lambda: precision_recall_density_coverage(real, fake, K, radii), repeats)
    print(f"{'  the same with the real radii known':<52} {known:7.3f} s")
    alone = best(lambda: knn_radii(fake, K), repeats)
    print(f"{'  radii of one set':<52} {alone:7.3f} s")
    other = knn_radii(fake, K)
    seen, by = Points.together(fake, real)
    fakes = Cut.of(seen)
    across = best(lambda: dense_membership(by, fakes, radii[:, None], other[:, None], False), repeats)
    print(f"{'  membership':<52} {across:7.3f} s")
    held = (torch.cuda.max_memory_allocated() - before) / 2**30
    print(f"{'  memory held beyond the features at most':<52} {held:7.2f} GiB")
    fid = best(lambda: frechet_distance(*gaussian_statistics(real), *gaussian_statistics(fake)), repeats)
    print(f"{'FID: statistics of both sets and distance':<52} {fid:7.3f} s   wanted ≤ 0.2")
    statistics = best(lambda: gaussian_statistics(real), repeats)
    (_, c1), (_, c2) = gaussian_statistics(real), gaussian_statistics(fake)
    polar = best(lambda: _root_trace_polar(c1, c2), repeats)
    eigen = best(lambda: _root_trace(c1, c2), repeats)
    print(f"{'  statistics of one set':<52} {statistics:7.3f} s")
    print(f"{'  trace of the root by products (used)':<52} {polar:7.3f} s")
    print(f"{'  trace of the root by eigenvalues':<52} {eigen:7.3f} s")
    gap = abs(float(_root_trace_polar(c1, c2)) - float(_root_trace(c1, c2))) / float(_root_trace(c1, c2))
    print(f"{'  the two traces differ by, relatively':<52} {gap:9.1e}")


if __name__ == "__main__":
    main()
