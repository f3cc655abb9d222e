"""A closer look is taken at the sets that are wanted, from the counts there are; what fails costs nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from trainables.datasets.gaussians8 import Gaussians8
from trainables.evaluation import closer_look as module
from trainables.evaluation.real_side import RealSide
from trainables.evaluation.settings import EvaluationConfig
from trainables.extractors.identity import Identity
from trainables.metrics.frechet import Frechet
from trainables.metrics.neighbours import Neighbours

SAMPLES = 60
EVALUATION = EvaluationConfig(samples=SAMPLES, metrics=(Neighbours(), Frechet()))


def side() -> RealSide:
    return RealSide(Gaussians8().source(), Identity(), SAMPLES)


def sets(real: RealSide) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    return [real.points + 0.2 * i * torch.randn(SAMPLES, 2, generator=generator) for i in range(4)]


def test_only_what_is_wanted_is_looked_at_and_agrees_with_the_metrics() -> None:
    real = side()
    look = real.closer_look({0, 2})
    measured = real.measure(EVALUATION, sets(real), final=True, look=look)
    assert set(look.found) == {0, 2}
    for number, findings in look.found.items():
        scores = measured[number]
        assert isinstance(scores, dict)
        assert findings.witnesses is not None
        assert findings.witnesses.outside.share == pytest.approx(1 - scores["precision"])
        assert findings.witnesses.missed.share == pytest.approx(1 - scores["recall"])
        assert findings.witnesses.features == "identity"
        assert [curve.name for curve in findings.curves] == ["prd", "knn", "cover"]
        assert findings.left_out == ()


@pytest.mark.parametrize(
    "changes", [{"metrics": (Frechet(),)}, {"intervals": True}], ids=["no balls", "intervals"]
)
def test_counts_that_no_metric_had_are_made(changes: dict[str, object]) -> None:
    real = side()
    usual, other = real.closer_look({1}), real.closer_look({1})
    real.measure(EVALUATION, sets(real), final=True, look=usual)
    real.measure(replace(EVALUATION, **changes), sets(real), final=True, look=other)  # type: ignore[arg-type]
    one, two = usual.found[1].witnesses, other.found[1].witnesses
    assert one is not None
    assert two is not None
    assert one.outside.share == two.outside.share
    assert one.missed.excess.tolist() == pytest.approx(two.missed.excess.tolist())


def test_numbers_are_the_same_with_and_without_a_look() -> None:
    real = side()
    with_look = real.measure(EVALUATION, sets(real), final=True, look=real.closer_look({0, 1}))
    assert with_look == real.measure(EVALUATION, sets(real), final=True)


def test_what_fails_is_told_and_costs_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    real = side()

    def fails(*args: object) -> None:
        raise MemoryError

    monkeypatch.setattr(module, "find_witnesses", fails)
    look = real.closer_look({0})
    assert all(isinstance(one, dict) for one in real.measure(EVALUATION, sets(real), True, look))
    assert look.found[0].witnesses is None
    assert len(look.found[0].curves) == 3
    assert look.found[0].left_out == ("witnesses are left out (MemoryError: there was none left)",)
    monkeypatch.setattr(module, "estimated_curves", fails)
    look = real.closer_look({0})
    assert all(isinstance(one, dict) for one in real.measure(EVALUATION, sets(real), True, look))
    assert look.found[0].curves == ()
    assert look.found[0].left_out == ("witnesses and curves are left out (MemoryError: there was none left)",)
