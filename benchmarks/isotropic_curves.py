"""PRD curves of isotropic Gaussians: by mini-batch k-means, as Sajjadi et al. 2018 say, and by ours, beside the truth.

    python benchmarks/isotropic_curves.py [--samples N --dimensions D …]

Isotropic data have no clusters: what k-means makes of them is its own doing, and two ways of doing it may disagree. The
exact curves are known. ``conformance.py`` puts the table and what it shows into docs/conformance.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import torch

from trainables.measures.kmeans import kmeans
from trainables.measures.prd import Quantised
from trainables.precision_recall.curve import PRCurve
from trainables.precision_recall.grid import equiangular_grid

__all__ = ["LAWS", "WAYS", "Found", "Law", "cases", "compared", "exact_curve", "lines", "section"]

CLUSTERS = 20


@dataclass(frozen=True)
class Law:
    """Generated samples scale·N(0, I) + shift·e₁ beside real ones from N(0, I)."""

    title: str
    scale: float = 1.0
    shift: float = 0.0


LAWS = (
    Law("the same law"),
    Law("1.5 times as wide", scale=1.5),
    Law("2 times as wide", scale=2.0),
    Law("moved by 3", shift=3.0),
)


@dataclass(frozen=True)
class Found:
    """What a clustering of both sets makes of them: its curve, its inertia, and how it cuts.

    - ``inertia``: mean squared distance to the centres, as a share of that to the mean of all;
    - ``largest``: share of the real and of the generated samples in the largest cluster;
    - ``tiny``: clusters with less than a hundredth of all samples.
    """

    curve: PRCurve
    inertia: float
    largest: tuple[float, float]
    tiny: float

    @classmethod
    def of(cls, x: np.ndarray, n: int, labels: np.ndarray, inertia: float) -> Found:
        """From the labels (runs, 2n) of real and generated samples ``x`` and the mean inertia of the runs."""
        sets = Quantised(labels[:, :n], labels[:, n:], CLUSTERS)
        sizes = (sets.real + sets.fake) / labels.shape[1]
        spread = float(np.square(x - x.mean(axis=0)).sum(axis=1).mean())
        at = np.arange(len(labels)), sizes.argmax(axis=1)
        largest = float(sets.real[at].mean()) / n, float(sets.fake[at].mean()) / n
        return cls(sets.curve(), inertia / spread, largest, float((sizes < 0.01).sum(axis=1).mean()))


def exact_curve(law: Law, d: int, points: int = 1001) -> PRCurve:
    """α_λ = λ P(q > λp) + Q(q ≤ λp) from the law of log q/p, normal for a shift and a scaled χ²_d for a scale."""
    from scipy.stats import chi2, norm

    lam = equiangular_grid(points).numpy()
    if law.scale == 1 and law.shift == 0:
        alpha = np.minimum(1.0, lam)
    elif law.scale == 1:
        s, log = law.shift, np.log(lam)
        alpha = lam * norm.cdf((-log - s * s / 2) / s) + norm.cdf((log - s * s / 2) / s)
    else:  # log q/p = -d log s + ½‖x‖²(1 - s⁻²), rising in ‖x‖² for s > 1
        edge = 2 * (np.log(lam) + d * np.log(law.scale)) / (1 - law.scale**-2)
        alpha = lam * chi2.sf(edge, d) + chi2.cdf(edge / law.scale**2, d)
    return PRCurve(lam, alpha, alpha / lam)


def _mini_batch(x: np.ndarray, runs: int) -> tuple[np.ndarray, float]:
    """The clustering that the paper names, by scikit-learn: the best of ten starts, ``runs`` times."""
    from sklearn.cluster import MiniBatchKMeans

    fits = [MiniBatchKMeans(CLUSTERS, n_init=10, random_state=seed).fit(x) for seed in range(runs)]
    return np.stack([fit.labels_ for fit in fits]), float(np.mean([fit.inertia_ for fit in fits])) / len(x)


def _ours(x: np.ndarray, runs: int) -> tuple[np.ndarray, float]:
    found = kmeans(torch.from_numpy(x), CLUSTERS, runs)
    return found.labels.numpy(), float(found.inertia.mean())


BEFORE = """\
Real samples from N(0, I), generated ones as said, N of each. *Mini-batch* is the clustering that Sajjadi et al. 2018
name: mini-batch k-means of the union into 20 clusters (scikit-learn's, the best of ten starts), ten runs, curves
averaged. *Ours* is what `prd` does. The truth is exact. Inertia is the mean squared distance to the centres as a
share of that to the mean; *tiny* counts clusters with less than 1 % of all samples."""

AFTER = """\
Neither is right, since twenty cells cannot show what is apart within them, and they are wrong in different ways. A
sample x goes to the centre c with the greatest ⟨x, c⟩ - ‖c‖²/2, and in isotropic data a centre that is the mean of m
samples lies at about √(d/m) from the mean of all: how the sizes come out decides where the centres lie.

- *Mini-batch*: a centre that has seen a few samples more is nearer to the mean, hence to all others, and is given
  more of them. In high dimension one cluster ends around the mean with a large part of the samples, at last most of
  them, and many end with a handful. That is a poor optimum, which its inertia shows. Cells around nearer and farther
  centres part samples by their length: of two sets of different width the large cluster holds more of the narrow one,
  and F_1/8 and area fall. Sets that differ by their mean look alike instead, since most of both lie in one cluster.
- *Ours* searches in 64 principal directions, where a start is not so far out, and goes on with full steps: clusters
  of like sizes and less inertia. Centres of like length part samples by direction alone, and the width of a set has
  no say: with many samples a model twice as wide as the data, of which next to nothing overlaps, is given nearly full
  marks. With few samples a cluster of the narrow set costs next to nothing, and the optimum itself tells the two
  apart.

So a lower inertia is the better k-means and not the better curve: where data have no clusters, PRD by k-means depends
on how the clustering was done, and numbers of two codes must not be compared. Clusters that are there are found by
both (tests/benchmarks/test_isotropic_curves.py). What differs by width shows in density and coverage, in `fid` and in
`kid`."""

WAYS: dict[str, Callable[[np.ndarray, int], tuple[np.ndarray, float]]] = {
    "mini-batch": _mini_batch,
    "ours": _ours,
}


def compared(law: Law, n: int, d: int, runs: int = 10, seed: int = 0) -> dict[str, Found]:
    """Both ways on n real and n generated samples in d dimensions."""
    rng = np.random.default_rng([seed, d])
    real, fake = rng.normal(size=(2, n, d))
    fake *= law.scale
    fake[:, 0] += law.shift
    x = np.concatenate([real, fake]).astype(np.float32)
    return {name: Found.of(x, n, *cluster(x, runs)) for name, cluster in WAYS.items()}


def lines(cases: Iterable[tuple[Law, int, int]], runs: int = 10) -> list[str]:
    """The table: truth, mini-batch and ours for every law with so many samples of each set in so many dimensions."""
    rows = [
        "| generated | N | d | | F_8 | F_1/8 | area | inertia | reals, generated in the largest cluster | tiny |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for law, n, d in cases:
        rows.append(f"| {law.title} | {n:,} | {d} | truth | {_summary(exact_curve(law, d))} | | | |")
        for name, found in compared(law, n, d, runs).items():
            shares = ", ".join(f"{share:.0%}" for share in found.largest)
            cells = f"{_summary(found.curve)} | {found.inertia:.4f} | {shares} | {found.tiny:.1f}"
            rows.append(f"| | | | {name} | {cells} |")
    return rows


def cases() -> list[tuple[Law, int, int]]:
    """All laws with a thousand samples, the first also in 2,048 dimensions, and with ten thousand the one on which the
    two differ most."""
    few = [(law, 1000, d) for law in LAWS for d in (64, 512)]
    return [*few[:2], (LAWS[0], 1000, 2048), *few[2:], (LAWS[2], 10_000, 64), (LAWS[2], 10_000, 256)]


def section() -> list[str]:
    """The part of docs/conformance.md on curves of isotropic data."""
    return [
        "## Curves where there are no clusters",
        "",
        *BEFORE.splitlines(),
        "",
        *lines(cases()),
        "",
        *AFTER.splitlines(),
        "",
    ]


def _summary(curve: PRCurve) -> str:
    return " | ".join(f"{float(value):.3f}" for value in (curve.f_max(8.0), curve.f_max(1 / 8), curve.auc()))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=1000, help="of each set")
    parser.add_argument("--dimensions", type=int, nargs="+", help="instead of the cases of the page")
    options = parser.parse_args()
    asked = [(law, options.samples, d) for law in LAWS for d in options.dimensions or ()]
    print("\n".join(lines(asked or cases())))


if __name__ == "__main__":
    main()
