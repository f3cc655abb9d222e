"""The cube without its constant against exact fractions, and the distance that it is for."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trainables.measures.polynomial import shifted_cube, shifted_cube_

Set = list[list[Fraction]]


@given(st.floats(-1e60, 1e60, allow_subnormal=False))
@settings(max_examples=500)
def test_a_few_units_in_the_last_place(s: float) -> None:
    exact = (1 + Fraction(s)) ** 3 - 1
    found = float(shifted_cube(torch.tensor(s, dtype=torch.float64)))
    assert abs(Fraction(found) - exact) <= 16 * Fraction(2) ** -53 * abs(exact)


def test_zero_and_signs() -> None:
    s = torch.tensor([0.0, -1.0, -2.0, 1e-300, -1e-300], dtype=torch.float64)
    assert shifted_cube(s).tolist() == [0.0, -1.0, -2.0, 3e-300, -3e-300]


def test_in_place_or_not() -> None:
    s = torch.randn(7, 5, generator=torch.Generator().manual_seed(0))
    before = s.clone()
    found = shifted_cube(s)
    assert torch.equal(s, before)
    assert shifted_cube_(s).data_ptr() == s.data_ptr()
    assert torch.equal(s, found)


def _exact(x: Set, y: Set, constant: int) -> Fraction:
    """The unbiased squared MMD with the kernel (1 + s)³ - constant, in fractions."""

    def kernel(a: list[Fraction], b: list[Fraction]) -> Fraction:
        s = sum((p * q for p, q in zip(a, b, strict=True)), Fraction(0)) / len(a)
        return (1 + s) ** 3 - constant

    def mean(pairs: list[tuple[list[Fraction], list[Fraction]]]) -> Fraction:
        return sum((kernel(a, b) for a, b in pairs), Fraction(0)) / len(pairs)

    return mean([*permutations(x, 2)]) + mean([*permutations(y, 2)]) - 2 * mean([*product(x, y)])


def _ours(x: np.ndarray, y: np.ndarray) -> float:
    a, b = torch.from_numpy(x), torch.from_numpy(y)
    within = 0.0
    for part in (a, b):
        kernel = shifted_cube(part @ part.T / part.shape[1])
        within += float(kernel.sum() - kernel.diagonal().sum()) / (len(part) * (len(part) - 1))
    return within - 2 * float(shifted_cube(a @ b.T / a.shape[1]).mean())


@pytest.mark.parametrize("scale", [1.0, 1e-4, 1e-8, 1e-20, 1e-100])
def test_the_distance_is_that_of_the_kernel_at_every_scale(scale: float) -> None:
    rng = np.random.default_rng(0)
    x, y = scale * rng.normal(size=(6, 4)), scale * (rng.normal(size=(5, 4)) + 1)
    fractions = [[[Fraction(v) for v in row] for row in part.tolist()] for part in (x, y)]
    exact = _exact(*fractions, constant=1)
    assert exact == _exact(*fractions, constant=0)  # constants cancel, exactly
    assert _ours(x, y) == pytest.approx(float(exact), rel=1e-12, abs=0)


def test_with_the_constant_nothing_would_be_left() -> None:
    rng = np.random.default_rng(1)
    x, y = 1e-8 * rng.normal(size=(6, 4)), 1e-8 * (rng.normal(size=(5, 4)) + 1)
    cubes = [(1 + torch.from_numpy(a @ b.T / 4)) ** 3 for a, b in ((x, x), (y, y), (x, y))]
    means = [float(k.sum() - k.diagonal().sum()) / (len(k) * (len(k) - 1)) for k in cubes[:2]]
    exact = float(_exact(*([[Fraction(v) for v in row] for row in p.tolist()] for p in (x, y)), constant=1))
    assert sum(means) - 2 * float(cubes[2].mean()) != pytest.approx(exact, rel=0.1, abs=0)
    assert _ours(x, y) == pytest.approx(exact, rel=1e-12, abs=0)
