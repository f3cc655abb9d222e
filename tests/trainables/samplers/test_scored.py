"""Given samples come once, in their order; every method that chooses among draws chooses among them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.trainables.samplers.given import archive
from tests.trainables.samplers.known import Known
from trainables.refinements import REFINEMENTS
from trainables.refinements.budgeted import Budgeted
from trainables.refinements.choosing import Choosing
from trainables.refinements.mh import MetropolisHastings
from trainables.refinements.moving import Moving
from trainables.refinements.obrs import Obrs
from trainables.rejection.calibrations import Slope
from trainables.samplers.calibrating import calibrated_by
from trainables.samplers.constants import tuned
from trainables.samplers.fitted import fitted
from trainables.samplers.pool import log_ratio_at
from trainables.samplers.reading_scored import read_scored
from trainables.samplers.refining import Refining
from trainables.samplers.scored import Scored
from trainables.samplers.steps import BLOCK
from trainables.samplers.with_ratio import with_ratio

METHODS = [kind() for kind in REFINEMENTS.loaded().values() if issubclass(kind, Budgeted)]
CHOOSING = [method for method in METHODS if isinstance(method, Choosing)]
MOVING = [method for method in METHODS if isinstance(method, Moving)]


class Counted:
    """Points 0, 1, 2, … that tell how many of them are read."""

    name = "the points"
    shape = (1,)

    def __init__(self, count: int) -> None:
        self._count = count
        self.read: list[int] = []

    def __len__(self) -> int:
        return self._count

    def blocks(self, size: int, first: int = 0) -> Iterator[Tensor]:
        for start in range(first * size, self._count, size):
            part = torch.arange(start, min(start + size, self._count)).float()[:, None]
            self.read.append(len(part))
            yield part


def test_they_come_once_in_order_and_a_seed_decides_who_is_kept() -> None:
    samples = Counted(5000)
    model = Scored(samples, torch.arange(5000.0), classes=torch.arange(5000) % 7)
    one, same, other = (list(model.pools(seed)) for seed in (3, 3, 4))
    assert [len(pool.points) for pool in one] == [BLOCK, BLOCK, 5000 - 2 * BLOCK]
    assert torch.equal(torch.cat([pool.points for pool in one])[:, 0], torch.arange(5000.0))
    assert torch.equal(torch.cat([p.log_ratio for p in one if p.log_ratio is not None]), torch.arange(5000.0))
    assert torch.equal(torch.cat([p.classes for p in one if p.classes is not None]), torch.arange(5000) % 7)
    assert all(torch.equal(a.uniform, b.uniform) for a, b in zip(one, same, strict=True))
    assert not torch.equal(one[0].uniform, other[0].uniform)
    late = list(model.pools(3, 1))
    assert all(torch.equal(a.uniform, b.uniform) for a, b in zip(one[1:], late, strict=True))
    assert torch.equal(late[0].points, one[1].points)
    assert list(model.pools(3, 9)) == []
    assert len(model) == 5000


def test_blocks_are_read_as_they_are_asked_for() -> None:
    samples = Counted(100_000)
    model = Scored(samples, torch.zeros(100_000))
    samples.read.clear()
    stream = Refining(model, Obrs(), 2.0, torch.zeros(1, 1), seed=0)
    assert len(next(stream.pieces(1000)).points) == 1000
    assert samples.read == [BLOCK]


@pytest.mark.parametrize("method", CHOOSING, ids=lambda method: method.name)
@pytest.mark.parametrize("budget", [1.0, 2.0, 3.5])
def test_every_method_that_chooses_chooses(method: Choosing, budget: float, tmp_path: Path) -> None:
    model = read_scored(archive(tmp_path / "a.npz", 8000))
    stream = Refining(model, method, budget, tuned(model, method, budget, 8000, 1), seed=2)
    kept = torch.cat([piece.points for piece in stream.pieces(1500)])
    assert kept.shape == (1500, 1)
    given = np.load(tmp_path / "a.npz")["samples"]
    assert set(kept.ravel().tolist()) <= set(given.ravel().tolist())
    if budget == 1:
        assert np.array_equal(kept, given[:1500])
    elif method.name != "rejection":  # which is mostly given up at such budgets
        assert float(kept.mean()) > 0.2


@pytest.mark.parametrize("method", [Obrs(), MetropolisHastings()], ids=lambda method: method.name)
def test_draws_come_to_an_end(method: Choosing) -> None:
    model = Scored(Counted(5000), Known().exact(next(Known().pools(0)).points).repeat(3)[:5000])
    stream = Refining(model, method, 4.0, tuned(model, method, 4.0, 5000, 1), seed=2)
    kept = sum(len(piece.points) for piece in stream.pieces(10_000))
    assert kept == pytest.approx(1250, abs=160)
    assert stream.ledger.samples == kept
    assert stream.ledger.draws <= 5000


@pytest.mark.parametrize("method", MOVING, ids=lambda method: method.name)
def test_methods_that_move_draws_say_that_they_cannot(method: Moving) -> None:
    model = Scored(Counted(3000), torch.zeros(3000))
    with pytest.raises(
        ValueError, match="only draws are at hand; use one that chooses among draws, such as obrs"
    ):
        tuned(model, method, 2.0, 1000, 0)


def test_scores_of_real_points_calibrate_them(tmp_path: Path) -> None:
    known = Known(slope=3.0)
    x = next(known.pools(0)).points
    real = known.log_ratio_at(known.real(2000)).numpy()
    path = archive(
        tmp_path / "a.npz", samples=x.numpy(), scores=known.log_ratio_at(x).numpy(), real_scores=real
    )
    model = read_scored(path)
    assert model.real is not None
    found = calibrated_by(model, Slope, model.real, 2000, seed=0)
    assert float(found.calibration.slope) == pytest.approx(1 / 3, abs=0.06)  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="the ratio at given points needs a critic"):
        log_ratio_at(model, known.real(5))


def test_samples_may_get_another_ratio_by_a_classifier(tmp_path: Path) -> None:
    plain = read_scored(archive(tmp_path / "a.npz", scores=np.zeros(5000)))
    model = with_ratio(plain, fitted(plain, Known().real(3000), 0))
    stream = Refining(model, Obrs(), 3.0, tuned(model, Obrs(), 3.0, 5000, 1), seed=2)
    assert float(torch.cat([piece.points for piece in stream.pieces(1000)]).mean()) > 0.5


def test_probabilities_are_read_as_such() -> None:
    model = Scored(Counted(3), torch.tensor([0.5, 0.9, 0.1]), "probability", real=torch.tensor([0.5]))
    ratio = next(model.pools(0)).log_ratio
    assert ratio is not None
    assert ratio.tolist() == pytest.approx([0.0, 2.197, -2.197], abs=1e-3)
    assert model.real is not None
    assert model.real.tolist() == [0.0]


def test_scores_that_do_not_belong_are_refused() -> None:
    with pytest.raises(ValueError, match="the points must have one of its scores for each of 4 samples"):
        Scored(Counted(4), torch.zeros(3))
    with pytest.raises(ValueError, match="one of its classes for each of 4 samples"):
        Scored(Counted(4), torch.zeros(4), classes=torch.zeros(4, 1))
    with pytest.raises(ValueError, match="scores of the points must be numbers, but 2 of 4 are NaN"):
        Scored(Counted(4), torch.tensor([0.0, torch.nan, 1.0, torch.nan]))
    with pytest.raises(ValueError, match="scores of real points of the points must be numbers"):
        Scored(Counted(4), torch.zeros(4), real=torch.tensor([torch.nan]))
    with pytest.raises(ValueError, match="the points must have samples, but has none"):
        Scored(Counted(0), torch.zeros(0))
