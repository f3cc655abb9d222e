"""Neighbours and ball membership in low dimension, by a k-d tree.

In d ≤ 3 a tree visits O(k log N) points per query where the dense computation visits N. Trees only *propose*
pairs; every distance that decides something is recomputed by :func:`pair_distances`, so radii and memberships
come from the same arithmetic and ties are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

import numpy as np
import torch
from numpy.typing import NDArray

from trainables.measures.knn.membership import Membership

__all__ = ["LOW_DIMENSION", "pair_distances", "tree_membership", "tree_radii"]

LOW_DIMENSION = 3  # beyond, trees visit most of the points and the dense engine wins

_Floats = NDArray[np.float64]
_CHUNK = 2048  # ball queries at a time: bounds memory when many points coincide
_SLACK = 1e-9  # relative growth of a proposed ball; the exact test follows


def pair_distances(x: _Floats, y: _Floats) -> _Floats:
    """Row-wise ‖x_i - y_i‖, (n, d) and (n, d) → (n,); symmetric in its arguments bit for bit."""
    return np.asarray(np.sqrt(np.square(x - y).sum(axis=1)))


def tree_radii(x: _Floats, ks: Sequence[int]) -> _Floats:
    """Distance from each row of ``x`` (N, d) to its k-th neighbour, itself excluded → (N, len(ks))."""
    from scipy.spatial import cKDTree  # here: whoever needs no trees, on a GPU say, needs no SciPy

    count = max(ks) + 1
    _, index = cKDTree(x).query(x, k=count)
    distances = pair_distances(np.repeat(x, count, axis=0), x[index.ravel()]).reshape(len(x), count)
    # Self is one zero among the k+1 smallest (or, among coincident points, as good as one).
    distances.sort(axis=1)
    return distances[:, list(ks)]


def tree_membership(
    real: _Floats,
    fake: _Floats,
    real_radii: _Floats,
    fake_radii: _Floats,
    strict: bool,
    progress: Callable[[float], None] | None = None,
) -> Membership:
    """Counts for ``real`` (N, d), ``fake`` (M, d) and their radii (N, R), (M, R); closed balls unless ``strict``."""
    counts = Membership.empty(len(real), len(fake), real_radii.shape[1], torch.device("cpu"))
    around_fake, in_real, around_real, in_fake = (
        array.numpy()
        for array in (
            counts.real_balls_around_fake,
            counts.fakes_in_real_ball,
            counts.fake_balls_around_real,
            counts.reals_in_fake_ball,
        )
    )
    done, balls = 0, real_radii.size + fake_radii.size

    def tell(chunk: int) -> None:
        nonlocal done
        done += chunk
        if progress is not None:
            progress(min(done / balls, 1.0))

    for r in range(real_radii.shape[1]):
        for i, j in _ball_pairs(real, real_radii[:, r], fake, strict):
            tell(_CHUNK)
            in_real[:, r] += np.bincount(i, minlength=len(real))
            around_fake[:, r] += np.bincount(j, minlength=len(fake))
        for j, i in _ball_pairs(fake, fake_radii[:, r], real, strict):
            tell(_CHUNK)
            in_fake[:, r] += np.bincount(j, minlength=len(fake))
            around_real[:, r] += np.bincount(i, minlength=len(real))
    return counts


def _ball_pairs(
    centres: _Floats, radii: _Floats, points: _Floats, strict: bool
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Index pairs (i, j) with ‖centre_i - point_j‖ ≤ radius_i (< when ``strict``), in chunks of centres."""
    from scipy.spatial import cKDTree

    tree = cKDTree(points)
    for start in range(0, len(centres), _CHUNK):
        stop = min(start + _CHUNK, len(centres))
        reach = radii[start:stop] * (1 + _SLACK)
        lists = tree.query_ball_point(centres[start:stop], reach)
        counts = np.fromiter((len(found) for found in lists), dtype=np.int64, count=stop - start)
        j = np.fromiter(chain.from_iterable(lists), dtype=np.int64, count=int(counts.sum()))
        i = np.repeat(np.arange(start, stop), counts)
        distances = pair_distances(centres[i], points[j])
        inside = distances < radii[i] if strict else distances <= radii[i]
        yield i[inside], j[inside]
