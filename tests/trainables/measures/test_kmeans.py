"""k-means is as good as scikit-learn's, finds the best split of a line, and repeats by its seed."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import torch
from sklearn.cluster import KMeans

from trainables.measures.kmeans import kmeans


@pytest.mark.parametrize(("n", "d", "clusters"), [(500, 2, 5), (600, 30, 8), (800, 200, 6)])
def test_as_good_as_sklearn(n, d, clusters):
    rng = np.random.default_rng(d)
    centres = 6 * rng.normal(size=(clusters, d)) / np.sqrt(d) * 2
    x = (centres[rng.integers(clusters, size=n)] + rng.normal(size=(n, d))).astype(np.float32)
    ours = kmeans(torch.from_numpy(x), clusters, runs=4, seed=1)
    theirs = KMeans(clusters, n_init=4, random_state=0).fit(x).inertia_ / n
    assert float(ours.inertia.min()) <= theirs * 1.02
    assert ours.labels.shape == (4, n)
    # Reported inertia is that of the reported labels and centres.
    centred = x - x.mean(0)
    nearest = ((centred - ours.centres[2].numpy()[ours.labels[2].numpy()]) ** 2).sum(1).mean()
    assert float(ours.inertia[2]) == pytest.approx(nearest, rel=1e-4)


def test_degenerate_sets():
    same = kmeans(torch.ones(30, 3), 4, runs=2)
    assert float(same.inertia.max()) == pytest.approx(0.0, abs=1e-9)
    few = kmeans(torch.arange(5.0)[:, None], 5)
    assert sorted(few.labels[0].tolist()) == [0, 1, 2, 3, 4]
    with pytest.raises(ValueError, match="clusters must lie"):
        kmeans(torch.zeros(3, 2), 4)


def test_runs_differ_and_seeds_repeat():
    x = torch.randn(400, 10, generator=torch.Generator().manual_seed(0))
    a, b = kmeans(x, 7, runs=3, seed=5), kmeans(x, 7, runs=3, seed=5)
    assert torch.equal(a.labels, b.labels)
    assert not torch.equal(a.labels[0], a.labels[1])


@pytest.mark.parametrize("seed", range(8))
def test_the_best_split_of_a_line_is_found(seed):
    """On a line clusters are intervals, so every clustering can be tried in turn."""
    x = np.sort(np.random.default_rng(seed).normal(size=11))
    best = min(
        sum(((part - part.mean()) ** 2).sum() for part in np.split(x, cuts)) / len(x)
        for cuts in combinations(range(1, len(x)), 2)
    )
    found = kmeans(torch.from_numpy(x)[:, None], 3, runs=16, seed=seed)
    assert float(found.inertia.min()) == pytest.approx(best, rel=1e-5)


def test_every_sample_belongs_to_its_nearest_centre():
    x = torch.randn(200, 3, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    found = kmeans(x, 6, runs=2)
    for labels, centres in zip(found.labels, found.centres, strict=True):
        apart = torch.cdist((x - x.mean(0)).float(), centres)
        chosen = apart.gather(1, labels[:, None])[:, 0]
        assert bool((chosen <= apart.amin(1) + 1e-5).all())


def test_the_end_is_a_fixed_point():
    """Centres are the means of their clusters, and against those means no sample changes its cluster."""
    x = torch.randn(300, 3, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    centred = x - x.mean(0)
    found = kmeans(x, 6, runs=4, iterations=100)
    for labels, centres in zip(found.labels, found.centres, strict=True):
        means = torch.stack([centred[labels == c].mean(0) for c in range(6)])
        torch.testing.assert_close(centres.double(), means, rtol=1e-4, atol=1e-4)
        assert torch.equal(torch.cdist(centred, means).argmin(1), labels)


@pytest.mark.parametrize("d", [3, 80])
def test_progress_rises_and_changes_nothing(d):
    x = torch.randn(200, d, generator=torch.Generator().manual_seed(d))
    heard: list[float] = []
    found = kmeans(x, 5, 3, progress=heard.append)
    assert torch.equal(found.labels, kmeans(x, 5, 3).labels)
    assert len(heard) >= 2
    assert heard == sorted(heard)
    assert 0 <= heard[0] < heard[-1] < 1
