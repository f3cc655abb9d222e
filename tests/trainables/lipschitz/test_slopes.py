"""Slopes that are seen are those of the function."""

from __future__ import annotations

import torch
from torch import Tensor

from trainables.lipschitz.slopes import gradient_norms, jacobian_norms, pairwise_slopes

POINTS = torch.randn(2, 7, 3, generator=torch.Generator().manual_seed(0))
MAPS = torch.randn(2, 5, 3, generator=torch.Generator().manual_seed(1))


def test_gradients_of_a_quadratic() -> None:
    found = gradient_norms(lambda x: 0.5 * x.square().sum(-1), POINTS)
    torch.testing.assert_close(found, POINTS.norm(dim=-1))


def test_gradients_of_images_can_be_trained_with() -> None:
    scale = torch.tensor([1.0, 3.0], requires_grad=True)
    images = POINTS.reshape(2, 7, 1, 3, 1)

    def score(x: Tensor) -> Tensor:
        return scale[:, None] * x.sum((2, 3, 4))

    norms = gradient_norms(score, images, create_graph=True)
    torch.testing.assert_close(norms, (scale[:, None] * 3**0.5).expand(2, 7))
    (gradient,) = torch.autograd.grad(norms.sum(), scale)
    torch.testing.assert_close(gradient, torch.full((2,), 7 * 3**0.5))


def test_jacobians_have_the_norm_of_the_matrix_and_rows_do_not_mix() -> None:
    found = jacobian_norms(lambda x: torch.einsum("toi,tni->tno", MAPS, x).reshape(2, 7, 5, 1), POINTS, 60)
    due = torch.linalg.matrix_norm(MAPS, ord=2)
    torch.testing.assert_close(found, due[:, None].expand(2, 7), rtol=1e-4, atol=0)
    few = jacobian_norms(lambda x: torch.einsum("toi,tni->tno", MAPS, x), POINTS, 2)
    assert bool((few <= due[:, None] * (1 + 1e-5)).all())


def test_slopes_between_points_that_are_the_same_are_none() -> None:
    points = torch.tensor([[[0.0], [1.0], [1.0], [3.0]]])
    values = torch.tensor([[0.0, 2.0, 2.0, 3.0]])
    assert pairwise_slopes(points, values).tolist() == [[1.0, 2.0, 0.0, 0.5]]
    assert pairwise_slopes(points, values.unsqueeze(-1)).tolist() == [[1.0, 2.0, 0.0, 0.5]]
