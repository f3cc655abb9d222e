"""A model whose ratio is corrected draws the same points, and every word on their ratio is corrected alike."""

from __future__ import annotations

import torch

from tests.trainables.samplers.known_model import Known, of_ratios
from trainables.refinements.dgflow import DGFlow
from trainables.refinements.mh import MetropolisHastings
from trainables.refinements.obrs import Obrs
from trainables.samplers.constants import tuned
from trainables.samplers.pool import Drawable, Pool, calibrated
from trainables.samplers.refining import Refining


def corrected(log_ratio: torch.Tensor) -> torch.Tensor:
    return 2.0 * log_ratio + 3.0


def first(model: Drawable, seed: int = 0, block: int = 0) -> Pool:
    return next(iter(model.pools(seed, block)))


def test_points_stay_and_ratios_are_corrected() -> None:
    plain, other = first(Known(classes=3)), first(calibrated(Known(classes=3), corrected))
    assert torch.equal(other.points, plain.points)
    assert torch.equal(other.uniform, plain.uniform)
    assert plain.classes is not None
    assert other.classes is not None
    assert torch.equal(other.classes, plain.classes)
    assert plain.log_ratio is not None
    assert other.log_ratio is not None
    assert torch.equal(other.log_ratio, 2 * plain.log_ratio + 3)


def test_so_is_the_ratio_elsewhere_and_its_slope() -> None:
    plain, other = first(Known()).block, first(calibrated(Known(), corrected)).block
    assert plain is not None
    assert other is not None
    x = plain.points.clone().requires_grad_()
    assert torch.equal(other.log_ratio(x), 2 * plain.log_ratio(x) + 3)
    (slope,) = torch.autograd.grad(other.log_ratio(x).sum(), x)
    torch.testing.assert_close(slope, torch.full_like(x, 2.0))
    assert torch.equal(other.generate(other.latent), plain.points)
    assert torch.equal(other.normal(1), plain.normal(1))


def test_draws_that_are_only_draws_stay_so() -> None:
    model = calibrated(of_ratios(torch.arange(10.0)), corrected)
    pool = first(model)
    assert pool.block is None
    assert pool.log_ratio is not None
    assert pool.log_ratio.tolist() == [2 * x + 3 for x in range(10)]
    unknown = Pool(torch.zeros(3, 1), None, torch.ones(3))

    class Unscored:
        shape = (1,)

        def pools(self, seed: int, first: int = 0):  # type: ignore[no-untyped-def]
            yield unknown

        def shown(self, points: torch.Tensor):  # type: ignore[no-untyped-def]
            return points.numpy()

    assert first(calibrated(Unscored(), corrected)).log_ratio is None


def test_seeds_blocks_and_what_is_shown_are_those_of_the_model() -> None:
    model = calibrated(Known(64), corrected)
    assert model.shape == (1,)
    assert torch.equal(first(model, 5, 3).points, first(Known(64), 5, 3).points)
    assert not torch.equal(first(model, 5, 3).points, first(model, 5, 2).points)
    points = torch.randn(4, 1)
    assert (model.shown(points) == points.numpy()).all()


def test_an_offset_changes_no_sample_and_a_slope_does() -> None:
    for method in (Obrs(), MetropolisHastings(), DGFlow(rate=0.1)):
        found = []
        for correction in (lambda r: r, lambda r: r + 2.0, lambda r: 3.0 * r):
            model = calibrated(Known(), correction)
            constants = tuned(model, method, 3.0, 4096, seed=9)
            pieces = Refining(model, method, 3.0, constants, seed=1).pieces(400)
            found.append(torch.cat([piece.points for piece in pieces]))
        plain, shifted, steeper = found
        torch.testing.assert_close(shifted, plain)
        assert not torch.equal(steeper, plain)
