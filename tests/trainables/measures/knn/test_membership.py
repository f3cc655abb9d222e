"""The float32 engine decides every pair as float64 brute force does: ties, copies, outliers, offsets, scales."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trainables.measures.knn.cases import KINDS, case, membership_of
from trainables.measures.knn import bench, cut, membership, products, selection
from trainables.measures.knn.exact import exact_distances
from trainables.measures.knn.neighbours import ball_counts, ball_counts_of
from trainables.measures.knn.radii import dense_radii


@given(
    st.sampled_from(KINDS),
    st.sampled_from(KINDS),
    st.integers(4, 40),
    st.integers(12, 60),
    st.integers(0, 99),
    st.booleans(),
    st.sampled_from([np.float32, np.float64]),
)
@settings(max_examples=120)
def test_membership_is_exact(kind_real, kind_fake, d, n, seed, strict, dtype):
    x, y = case(kind_real, n, d, seed).astype(dtype), case(kind_fake, 37, d, seed + 1000).astype(dtype)
    y[:5] = x[:5]  # copies across the sets lie exactly on the balls of their neighbours
    tx, ty = torch.from_numpy(x), torch.from_numpy(y)
    rx, ry = dense_radii(tx, (1, 5)), dense_radii(ty, (1, 5))
    i, j = (a.ravel() for a in np.meshgrid(np.arange(n), np.arange(37), indexing="ij"))
    distances = exact_distances(tx, ty, torch.from_numpy(i), torch.from_numpy(j)).view(n, 37)
    found = membership_of(tx, ty, rx, ry, strict)
    both = ball_counts_of(tx, ty, (1, 5), strict=strict)  # radii and balls from the same panels
    compare = torch.lt if strict else torch.le
    for r in range(2):
        for field in fields(found):
            assert torch.equal(getattr(both[r], field.name), getattr(found, field.name)[:, r])
        in_real, in_fake = compare(distances, rx[:, r, None]), compare(distances, ry[:, r])
        assert torch.equal(found.real_balls_around_fake[:, r], in_real.sum(0))
        assert torch.equal(found.fakes_in_real_ball[:, r], in_real.sum(1))
        assert torch.equal(found.fake_balls_around_real[:, r], in_fake.sum(1))
        assert torch.equal(found.reals_in_fake_ball[:, r], in_fake.sum(0))


def test_many_open_pairs_measure_copies_once(monkeypatch):
    """All samples equal: every pair is open, and only one distance is measured per tile and kind of ball."""
    measured = []
    whole = membership.exact_distances
    monkeypatch.setattr(
        membership,
        "exact_distances",
        lambda x, y, i, j, memory: (measured.append(len(i)), whole(x, y, i, j, memory))[1],
    )
    x = torch.full((300, 8), 0.3)
    counts = ball_counts(x, x, 3)
    assert counts.scores().precision == counts.scores().recall == counts.scores().coverage == 1.0
    assert counts.real_balls_around_fake.tolist() == [300] * 300
    assert max(measured) == 1


def test_several_tiles_count_as_one(monkeypatch):
    x, y = (torch.from_numpy(case("normal", n, 6, n)) for n in (83, 59))
    rx, ry = dense_radii(x, (2,)), dense_radii(y, (2,))
    whole = membership_of(x, y, rx, ry, strict=False)
    monkeypatch.setattr(cut, "_CPU_SIDE", 17)
    pieces = membership_of(x, y, rx, ry, strict=False)
    for field in fields(membership.Membership):
        assert torch.equal(getattr(pieces, field.name), getattr(whole, field.name)), field.name


def test_pairs_in_balls_are_counted_piece_by_piece(monkeypatch):
    """Balls that hold everything: more pairs than are held at a time."""
    x, y = (torch.from_numpy(case("normal", n, 6, n)) for n in (40, 30))
    everything = torch.full((40, 2), 1e3, dtype=torch.float64), torch.full((30, 2), 1e3, dtype=torch.float64)
    monkeypatch.setattr(membership, "_PIECE", 70)
    monkeypatch.setattr(membership, "_WAITING", 200)
    found = membership_of(x, y, *everything, strict=False)
    assert found.real_balls_around_fake.unique().tolist() == [40]
    assert found.fakes_in_real_ball.unique().tolist() == [30]
    assert found.fake_balls_around_real.unique().tolist() == [30]
    assert found.reals_in_fake_ball.unique().tolist() == [40]


@pytest.mark.parametrize("kind", KINDS)
def test_tensors_are_counted_as_arrays_are(kind, monkeypatch):
    """On a GPU numbers stay in tensors between products; here they are made to."""
    monkeypatch.setattr(cut, "_CPU_SIDE", 17)
    x, y = (torch.from_numpy(case(kind, n, 6, n)).float() for n in (83, 59))
    y[:5] = x[:5]
    by_arrays = ball_counts_of(x, y, (1, 5))
    for module in (bench, membership, products, selection):
        monkeypatch.setattr(module, "numbers", lambda values: values)
    for found, expected in zip(ball_counts_of(x, y, (1, 5)), by_arrays, strict=True):
        for field in fields(membership.Membership):
            assert torch.equal(getattr(found, field.name), getattr(expected, field.name)), field.name


def test_the_two_sides_of_a_count_have_one_sum():
    x, y = torch.from_numpy(case("copies", 60, 5, 1)), torch.from_numpy(case("normal", 40, 5, 2))
    found = membership_of(x, y, dense_radii(x, (3, 7)), dense_radii(y, (3, 7)), strict=False)
    assert torch.equal(found.real_balls_around_fake.sum(0), found.fakes_in_real_ball.sum(0))
    assert torch.equal(found.fake_balls_around_real.sum(0), found.reals_in_fake_ball.sum(0))
    assert bool((found.fakes_in_real_ball[:, 1] >= found.fakes_in_real_ball[:, 0]).all())  # larger balls


def test_counts_start_at_zero():
    empty = membership.Membership.empty(3, 2, 4, torch.device("cpu"))
    assert empty.real_balls_around_fake.shape == empty.reals_in_fake_ball.shape == (2, 4)
    assert empty.fakes_in_real_ball.shape == empty.fake_balls_around_real.shape == (3, 4)
    assert int(sum(getattr(empty, field.name).sum() for field in fields(empty))) == 0
