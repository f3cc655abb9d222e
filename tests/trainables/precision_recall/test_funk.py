"""The Funk metric: rays end on the boundary, lengths are the Rényi divergence of order ∞, the curve is a geodesic."""

from __future__ import annotations

import math

import pytest
import torch

from trainables.precision_recall import boundary_point, funk_metric, log_between, renyi

P = torch.tensor([0.6, 0.3, 0.1], dtype=torch.float64)
Q = torch.tensor([0.1, 0.3, 0.6], dtype=torch.float64)


def _pairs() -> tuple[torch.Tensor, torch.Tensor]:
    draws = torch.distributions.Dirichlet(torch.ones(5, dtype=torch.float64))
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return draws.sample((50,)), draws.sample((50,))


def test_a_ray_ends_on_the_boundary_beyond_the_law_it_goes_through() -> None:
    a, b = _pairs()
    edge = boundary_point(a, b)
    torch.testing.assert_close(edge.sum(-1), torch.ones(50, dtype=torch.float64))
    assert float(edge.amin(-1).abs().max()) < 1e-12
    share = torch.linalg.vector_norm(b - a, dim=-1) / torch.linalg.vector_norm(edge - a, dim=-1)
    torch.testing.assert_close(b, a + share[:, None] * (edge - a))
    assert float(share.max()) <= 1


def test_by_hand() -> None:
    torch.testing.assert_close(boundary_point(P, Q), torch.tensor([0.0, 0.3, 0.7], dtype=torch.float64))
    assert float(funk_metric(P, Q)) == pytest.approx(math.log(6))


def test_it_is_the_renyi_divergence_of_order_infinity() -> None:
    a, b = _pairs()
    torch.testing.assert_close(funk_metric(a, b), renyi(a.log(), b.log(), math.inf))


@pytest.mark.parametrize("tilt", [0.3, 1.0, 4.0])
def test_the_path_of_the_curve_is_a_geodesic(tilt: float) -> None:
    """Proposition 7: F(p, q) = F(p, r) + F(r, q) for r ∝ min(p, q/λ)."""
    r = log_between(P.log(), Q.log(), -math.inf, torch.tensor([tilt], dtype=torch.float64))[0].exp()
    assert float(funk_metric(P, r) + funk_metric(r, Q)) == pytest.approx(float(funk_metric(P, Q)))
    aside = torch.tensor([0.05, 0.9, 0.05], dtype=torch.float64)
    assert float(funk_metric(P, aside) + funk_metric(aside, Q)) > float(funk_metric(P, Q)) + 1e-3


def test_one_law_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="two laws that differ"):
        boundary_point(P, P)
