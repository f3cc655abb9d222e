"""k-NN precision, recall, density, coverage: parity with prdc, orientation, ties, degenerate sets."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from prdc import compute_prdc

from trainables.measures.knn import cut, radii, workers
from trainables.measures.knn.neighbours import (
    ball_counts,
    ball_counts_of,
    knn_radii,
    pr_cover,
    precision_recall_density_coverage,
    radii_of,
)

SHAPES = [
    (120, 90, 1, 3),
    (200, 310, 2, 5),
    (97, 203, 3, 1),
    (150, 150, 7, 5),
    (260, 180, 64, 4),
    (300, 220, 512, 5),
]


def _sets(n: int, m: int, d: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    real = rng.normal(size=(n, d))
    fake = 0.9 * rng.normal(size=(m, d)) + 0.3 / np.sqrt(d)
    return real, fake


@pytest.mark.parametrize(("n", "m", "d", "k"), SHAPES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_strict_mode_is_prdc(n, m, d, k, dtype, capsys):
    real, fake = (a.astype(dtype) for a in _sets(n, m, d))
    ours = precision_recall_density_coverage(real, fake, k, strict=True)
    theirs = compute_prdc(real.astype(np.float64), fake.astype(np.float64), k)
    for name in ("precision", "recall", "density", "coverage"):
        assert getattr(ours, name) == pytest.approx(theirs[name], abs=1e-6), name


@pytest.mark.parametrize("d", [2, 3, 30])
def test_radii_exclude_self_and_match_a_full_sort(d):
    x = np.random.default_rng(1).normal(size=(150, d))
    full = np.sort(np.linalg.norm(x[:, None] - x[None], axis=-1), axis=1)
    for k in (1, 4, 149):
        np.testing.assert_allclose(knn_radii(x, k).numpy(), full[:, k], rtol=1e-10)


@pytest.mark.parametrize("d", [1, 2, 40])
def test_no_swap_passes(d):
    """Fakes on one of two real modes: precision 1, recall ½; swapping the arguments swaps the scores."""
    rng = np.random.default_rng(2)
    shift = 100.0 * np.ones(d)
    real = np.concatenate([rng.normal(size=(200, d)), rng.normal(size=(200, d)) + shift])
    fake = real[:200] + 1e-9
    one = precision_recall_density_coverage(real, fake, 5)
    assert one.precision == 1.0
    assert one.recall == pytest.approx(0.5)
    assert one.coverage == pytest.approx(0.5)
    assert one.density > 0.9
    other = precision_recall_density_coverage(fake, real, 5)
    assert other.precision == pytest.approx(0.5)
    assert other.recall == 1.0
    assert other.coverage == 1.0
    assert other.density == pytest.approx(one.density / 2, rel=0.02)


@pytest.mark.parametrize("d", [1, 2, 3, 50])
def test_identical_sets_score_one_in_closed_balls(d):
    x = np.random.default_rng(3).normal(size=(100, d))
    scores = precision_recall_density_coverage(x, x.copy(), 3)
    assert (scores.precision, scores.recall, scores.coverage) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("d", [2, 20])
def test_fakes_all_on_one_real_point(d):
    """A collapsed generator is precise, covers the balls around its point, recalls that point alone."""
    real = np.random.default_rng(4).normal(size=(120, d))
    fake = np.repeat(real[:1], 80, axis=0)
    counts = ball_counts(real, fake, 4)
    scores = counts.scores()
    radii = knn_radii(real, 4).numpy()
    holding = np.linalg.norm(real - real[0], axis=1) <= radii
    assert scores.precision == 1.0
    assert scores.recall == pytest.approx(1 / 120)
    assert scores.coverage == pytest.approx(holding.mean())
    assert scores.density == pytest.approx(holding.sum() / 4)


def test_ties_on_the_ball_are_inside_unless_strict():
    """On the integer line every k=1 radius is 1, and the fake at distance exactly 1 decides."""
    real = np.array([[0.0], [1.0], [2.0]])
    fake = np.array([[3.0], [5.0]])
    closed = ball_counts(real, fake, 1)
    assert closed.real_balls_around_fake.tolist() == [1, 0]
    assert closed.fakes_in_real_ball.tolist() == [0, 0, 1]
    assert closed.reals_in_fake_ball.tolist() == [2, 0]
    assert closed.fake_balls_around_real.tolist() == [0, 1, 1]
    opened = ball_counts(real, fake, 1, strict=True)
    assert opened.real_balls_around_fake.tolist() == [0, 0]
    assert opened.fake_balls_around_real.tolist() == [0, 0, 1]


def test_given_radii_are_used():
    real, fake = _sets(80, 90, 2)
    radii = knn_radii(real, 5)
    assert precision_recall_density_coverage(real, fake, 5, radii) == precision_recall_density_coverage(
        real, fake, 5
    )
    none = precision_recall_density_coverage(real, fake, 5, torch.zeros(80))
    assert none.precision == none.density == none.coverage == 0.0


def test_bad_input_is_named():
    x = np.zeros((10, 2))
    with pytest.raises(ValueError, match="finite, but 1 of 10"):
        knn_radii(np.where(np.arange(20).reshape(10, 2) == 3, np.nan, 0.0), 2)
    with pytest.raises(ValueError, match="k=10 with 10 samples"):
        knn_radii(x, 10)
    with pytest.raises(ValueError, match="got 2 and 3"):
        precision_recall_density_coverage(x, np.zeros((10, 3)), 2)
    with pytest.raises(ValueError, match="fake features"):
        precision_recall_density_coverage(x, x[:2], 2)
    with pytest.raises(ValueError, match="one radius per real"):
        precision_recall_density_coverage(x, x, 2, torch.zeros(3))
    with pytest.raises(ValueError, match="flatten"):
        knn_radii(np.zeros((4, 3, 3)), 1)


@pytest.mark.parametrize(("n", "m", "d"), [(60, 60, 2), (50, 80, 12)])
def test_pr_cover_is_its_definition(n, m, d):
    """Every ball drawn and counted: (3.26) and (3.27), masses compared when the sets differ in size."""
    real, fake = _sets(n, m, d, seed=6)
    k, k_prime = 2, 5
    across = np.linalg.norm(real[:, None] - fake[None], axis=-1)
    fake_radii = np.sort(np.linalg.norm(fake[:, None] - fake[None], axis=-1), axis=1)[:, k_prime]
    real_radii = np.sort(np.linalg.norm(real[:, None] - real[None], axis=-1), axis=1)[:, k_prime]
    precision = ((across <= fake_radii).sum(axis=0) / n >= k / m - 1e-12).mean()
    recall = ((across <= real_radii[:, None]).sum(axis=1) / m >= k / n - 1e-12).mean()
    scores = pr_cover(real, fake, k, k_prime)
    assert scores.precision == pytest.approx(precision)
    assert scores.recall == pytest.approx(recall)
    assert pr_cover(fake, real, k, k_prime).precision == pytest.approx(recall)
    with pytest.raises(ValueError, match="k of PR cover"):
        pr_cover(real, fake, 0, 5)


def test_several_k_share_the_distances():
    real, fake = _sets(90, 70, 9)
    for found, k in zip(ball_counts_of(real, fake, (3, 8)), (3, 8), strict=True):
        assert found.scores() == precision_recall_density_coverage(real, fake, k)


def test_fakes_far_from_the_reals_are_seen_from_their_own_mean(monkeypatch):
    """From the reals, float32 would tell none of their distances apart, and every row would be done again."""
    monkeypatch.setattr(radii, "_radii_float64", lambda *_: pytest.fail("rows are done again"))
    rng = np.random.default_rng(7)
    real, fake = (rng.normal(size=(300, 64)).astype(np.float32) for _ in range(2))
    counts = ball_counts(real, fake + np.float32(1000), 5)
    assert counts.scores().precision == counts.scores().recall == 0.0


@pytest.mark.parametrize("d", [2, 8, 30])
@pytest.mark.parametrize(
    ("dtype", "exponent"),
    [(np.float32, -133), (np.float32, -125), (np.float32, 100), (np.float64, -440), (np.float64, 480)],
)
def test_the_unit_of_features_does_not_matter(d, dtype, exponent):
    """Times a power of two, whole numbers stay exact, also where float32 has no more than their digits left."""
    rng = np.random.default_rng(d)
    x, y = rng.integers(-9, 10, (60, d)).astype(dtype), rng.integers(-7, 8, (50, d)).astype(dtype)
    unit = np.dtype(dtype).type(2.0**exponent)
    expected = precision_recall_density_coverage(x, y, 3)
    assert precision_recall_density_coverage(x * unit, y * unit, 3) == expected
    np.testing.assert_array_equal(knn_radii(x * unit, 3), knn_radii(x, 3) * 2.0**exponent)


@pytest.mark.parametrize("d", [2, 8])
def test_distances_that_vanish_in_float64_are_a_sentence(d):
    x = np.random.default_rng(0).normal(size=(20, d)) * 1e-165
    for measure in (lambda: knn_radii(x, 3), lambda: precision_recall_density_coverage(x, x, 3)):
        with pytest.raises(ValueError, match="underflow float64; rescale the features"):
            measure()
    assert (knn_radii(np.zeros((20, d)), 3) == 0).all()


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    d=st.sampled_from([1, 2, 3, 8, 64]),
    dtype=st.sampled_from([np.float32, np.float64]),
    power=st.integers(-126, 100),
    shift=st.sampled_from([0, 1, 1 << 10]),
)
def test_neither_a_unit_nor_an_origin_matters(seed, d, dtype, power, shift):
    """Whole numbers, moved by one and multiplied by a power of two: distances and ties are what they were."""
    rng = np.random.default_rng(seed)
    x, y = (rng.integers(-3, 4, size=(n, d)).astype(dtype) for n in (50, 40))
    expected = ball_counts(x, y, 3)
    moved = [np.ldexp(part + dtype(shift), power) for part in (x, y)]
    found = ball_counts(*moved, 3)
    for name in (
        "real_balls_around_fake",
        "fakes_in_real_ball",
        "fake_balls_around_real",
        "reals_in_fake_ball",
    ):
        assert torch.equal(getattr(found, name), getattr(expected, name)), name


@pytest.mark.parametrize("scale", [1e-8, 1e-15, 1e-25, 1e-38, 1e-42, 1e15, 1e18])
@pytest.mark.parametrize("d", [2, 3, 8, 64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_at_every_scale_are_those_of_all_distances(scale, d, dtype):
    rng = np.random.default_rng(d)
    x, y = ((scale * (rng.normal(size=(n, d)) + 0.5)).astype(dtype) for n in (90, 70))
    x[3:6], y[0] = x[2], x[2]
    wide = [np.ldexp(part.astype(np.float64), -np.frexp(scale)[1]) for part in (x, y)]
    of_x, of_y, across = (
        np.linalg.norm(a[:, None] - b, axis=2) for a, b in (wide[:1] * 2, wide[1:] * 2, wide)
    )
    r, s = (np.sort(distances, axis=1)[:, 4] for distances in (of_x, of_y))
    found = precision_recall_density_coverage(x, y, 4)
    assert found.precision == pytest.approx((across <= r[:, None]).any(axis=0).mean(), abs=1e-15)
    assert found.recall == pytest.approx((across <= s).any(axis=1).mean(), abs=1e-15)
    assert found.density == pytest.approx((across <= r[:, None]).sum() / (4 * len(y)), rel=1e-14)
    assert found.coverage == pytest.approx((across <= r[:, None]).any(axis=1).mean(), abs=1e-15)


def test_progress_is_of_the_whole(monkeypatch):
    """Of the radii of the fakes first, then of all distances to the reals."""
    monkeypatch.setattr(workers, "_TELLING", -1.0)
    monkeypatch.setattr(cut, "_CPU_SIDE", 32)
    monkeypatch.setattr(cut, "_LEAST_SIDE", 32)
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        x, y = _sets(150, 150, 8)
        heard: list[float] = []
        ball_counts_of(x, y, (3,), radii_of(x, (3,), heard.append), progress=heard.append)
    finally:
        torch.set_num_threads(before)
    turn = max(at for at, part in enumerate(heard) if part == 0)  # where the second one begins
    for part in (heard[:turn], heard[turn:]):
        assert part == sorted(part)
        assert part[0] == 0
        assert 0.8 < part[-1] < 1
    assert any(abs(part - 1 / 3) < 0.05 for part in heard[turn:])
