"""Another ratio takes the place of a model's own: at its draws, near them, and at given points."""

from __future__ import annotations

import pytest
import torch

from tests.trainables.samplers.known import Known
from trainables.refinements.dot import Dot
from trainables.refinements.obrs import Obrs
from trainables.samplers.constants import tuned
from trainables.samplers.pool import log_ratio_at
from trainables.samplers.refining import Refining
from trainables.samplers.with_ratio import with_ratio


@pytest.mark.parametrize("slope", [0.0, -1.0], ids=["no ratio", "a wrong one"])
@pytest.mark.parametrize("method", [Obrs(), Dot(rate=0.2)], ids=lambda method: method.name)
def test_refinements_follow_the_new_ratio(slope: float, method: Obrs | Dot) -> None:
    plain, right = Known(slope=slope), Known()
    model = with_ratio(plain, right.exact)
    one, other = (
        torch.cat(
            [p.points for p in Refining(m, method, 3.0, tuned(m, method, 3.0, 4096, 1), 2).pieces(2000)]
        )
        for m in (model, right)
    )
    assert torch.equal(one, other)
    assert float(one.mean()) > 0.1


def test_draws_stay_and_points_are_scored_a_few_at_a_time() -> None:
    sizes: list[int] = []

    def log_ratio(x: torch.Tensor) -> torch.Tensor:
        sizes.append(len(x))
        return 3 * x[:, 0]

    plain, model = Known((0.0, 0.0)), with_ratio(Known((0.0, 0.0)), log_ratio)
    pool, own = next(model.pools(3, 5)), next(plain.pools(3, 5))
    assert torch.equal(pool.points, own.points)
    assert torch.equal(pool.uniform, own.uniform)
    assert pool.log_ratio is not None
    assert torch.equal(pool.log_ratio, 3 * own.points[:, 0])
    assert torch.equal(log_ratio_at(model, torch.ones(5000, 2)), torch.full((5000,), 3.0))
    assert max(sizes) == 2048
    assert model.shape == (2,)
    assert model.shown(own.points).shape == (2048, 2)


def test_points_of_another_shape_are_refused() -> None:
    model = with_ratio(Known(), lambda x: x[:, 0])
    with pytest.raises(ValueError, match=r"samples of shape \(1,\), got \(3,\)"):
        log_ratio_at(model, torch.zeros(4, 3))
