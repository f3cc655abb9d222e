"""Residual flows: their constants, before and after training."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd.functional import jacobian

from tests.trainables.training.trials import trial
from trainables.models.image_flow import FLATTEST
from trainables.models.layers.bijection import Bijection
from trainables.models.layers.contractive import Contractive, DenseLayer
from trainables.models.layers.flow import Bent
from trainables.models.residual import Residual, fixed_point_steps, unrolled_steps
from trainables.objectives.mle import MaximumLikelihood
from trainables.training.population import Population

MEMBER = Residual(critic=(4,), blocks=2, width=8, block_constant=0.6)


def test_the_contraction_holds_after_training() -> None:
    # By singular values, of weights that large steps have driven into the limit.
    pack = Population([trial(MEMBER, MaximumLikelihood(), generator_lr=0.1)])
    pack.advance(15)
    for name in ("generator", "average"):
        module = MEMBER.build_generator((2,), None)
        torch.nn.utils.vector_to_parameters(pack.matrices[name][0], module.parameters())
        nets = [part for part in module.modules() if isinstance(part, Contractive)]
        limited = [
            [layer.limited(net.limit) for layer in net.layers if isinstance(layer, DenseLayer)]
            for net in nets
        ]
        norms = torch.tensor(
            [[float(torch.linalg.matrix_norm(w.detach(), 2)) for w in weights] for weights in limited]
        )
        assert bool((norms.prod(1) <= 0.6).all())
        assert float(norms.max()) > 0.995 * 0.6 ** (1 / 3)  # the limit is in force


def steepest(image: Tensor, x: Tensor) -> float:
    """The greatest stretch between one point and the next."""
    return float(((image[1:] - image[:-1]).norm(dim=1) / (x[1:] - x[:-1]).norm(dim=1)).max())


def steep(member: Residual, shape: tuple[int, ...], sign: float) -> Bijection:
    """Positive weights agree in their singular vectors: g is as steep as it can be, downwards or upwards."""
    module = member.build_generator(shape, None)
    assert isinstance(module, Bijection)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for net in module.modules():
            if isinstance(net, Contractive):
                for parameter in net.parameters():
                    parameter.copy_(torch.rand(parameter.shape, generator=generator) + 0.5)
                net.layers[-1].weight.mul_(sign)  # type: ignore[operator, union-attr]
    return module


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_the_bounds_of_the_flow_hold_between_points(sign: float) -> None:
    module = steep(MEMBER, (2,), sign)
    x = torch.randn(400, 2, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        there, back = steepest(module(x), x), steepest(module.transform(x, inverse=True)[0], x)
    bounds = MEMBER.lipschitz_bounds((2,))
    assert bounds == (pytest.approx(0.4**-2), pytest.approx(1.6**2))
    assert there <= bounds[0]
    assert back <= bounds[1]
    assert there > 1.5 if sign < 0 else back > 1.5


@pytest.mark.parametrize("sign", [-1.0, 1.0])
@pytest.mark.parametrize(("shape", "blocks"), [((2,), 8), ((16,), 8), ((16,), 20), ((1, 4, 4), 4)])
def test_the_steepest_flow_of_default_tolerance_is_undone(
    shape: tuple[int, ...], blocks: int, sign: float
) -> None:
    module = steep(Residual(width=16, blocks=blocks), shape, sign).eval()
    generator = torch.Generator().manual_seed(1)
    z, x = torch.randn(20, *shape, generator=generator), torch.rand(20, *shape, generator=generator)
    with torch.no_grad():
        again = module.transform(module.transform(z, inverse=False)[0], inverse=True)[0]
        assert float((again - z).abs().max()) < 1e-4
        again = module.transform(module.transform(x, inverse=True)[0], inverse=False)[0]
        assert float((again - x).abs().max()) < 1e-4


def test_the_log_determinant_of_a_transform_is_that_of_the_jacobian_also_where_walks_estimate_it() -> None:
    module = steep(Residual(width=8, blocks=2, levels=1), (3, 4, 4), -1.0)
    points = torch.rand(2, 3, 4, 4, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    for inverse in (False, True):
        found = module.transform(points, inverse)[1]
        for point, log_det in zip(points, found, strict=True):
            matrix = jacobian(lambda x, i=inverse: module.transform(x[None], i)[0][0], point)
            assert isinstance(matrix, Tensor)
            volume = torch.linalg.slogdet(matrix.reshape(48, 48)).logabsdet
            torch.testing.assert_close(log_det, volume, rtol=0, atol=1e-8)


def test_bounds_of_images_have_the_map_to_pixels_in_them() -> None:
    there, back = Residual(blocks=1, block_constant=0.5, levels=2).lipschitz_bounds((1, 4, 4))
    assert there == pytest.approx(4 / 1.8)
    x = torch.linspace(-3, 3, 10_001, dtype=torch.float64).reshape(-1, 1, 1, 1)
    steepest_inverse = float((-Bent()(x, inverse=False)[1]).exp().max())
    assert back == pytest.approx(1.5**2 * max(steepest_inverse, 1 / FLATTEST))


def test_steps_are_those_that_the_constant_asks_for() -> None:
    for constant in (0.1, 0.5, 0.9, 0.99):
        steps = fixed_point_steps(constant, 1e-5)
        assert constant**steps / (1 - constant) <= 1e-5 < constant ** (steps - 1) / (1 - constant)
        assert constant ** unrolled_steps(constant) <= 0.01 + 1e-12


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"block_constant": 1.0}, "model.block_constant must lie between 0.01 and 0.99, got 1.0; "),
        ({"blocks": 0}, "model.blocks must be positive and finite, got 0"),
        ({"tolerance": 0.0}, "model.tolerance must lie between 1e-12 and 0.1, got 0.0"),
        ({"exact": -1}, "model.exact must lie between 0 and 64, got -1"),
    ],
)
def test_refusals(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        Residual(**fields)
    assert str(refusal.value).startswith(sentence)


def test_points_of_one_coordinate_will_do() -> None:
    Residual().check_data((1,), None)
    with pytest.raises(ValueError, match="multiples of 4, got 5 × 4"):
        Residual().check_data((1, 5, 4), None)


@pytest.mark.parametrize("blocks", [60, 1000])
def test_a_bound_beyond_all_numbers_is_none(blocks: int) -> None:
    model = Residual(blocks=blocks, width=2, critic=(4,))
    there, back = model.lipschitz_bounds((2,))
    assert there > torch.finfo(torch.float32).max
    assert back > 1e14
    if blocks == 60:
        assert Population([trial(model, MaximumLikelihood())]).generator_lipschitz_bound().isnan().all(), (
            "not certified"
        )
