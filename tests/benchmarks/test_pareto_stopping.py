"""What halving keeps is told from hypervolumes up to one corner for both sweeps."""

from __future__ import annotations

import pytest

from benchmarks.pareto_stopping import volumes


def test_volumes_of_both_have_one_corner() -> None:
    full = {0: [[-0.5, -0.5, 1.0], [-0.1, -0.1, 3.0]], 1: [[-1.0, -1.0, 0.0]]}
    halved = {0: [[-0.5, -0.4, 1.0], [-0.1, -0.1, 2.0]], 1: [[-1.0, -1.0, 1.0]]}
    (whole, kept), (other, worse) = volumes(full, halved)
    assert whole == pytest.approx(0.5 * 0.5 * 2.0), "up to the worst FID of either, which is 3"
    assert kept == pytest.approx(0.5 * 0.4 * 2.0)
    assert (other, worse) == (pytest.approx(1.0), pytest.approx(0.0))
