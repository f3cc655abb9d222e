"""An evaluation's metrics are those of the model as it is."""

from __future__ import annotations

import numpy as np
import pytest

from trainables.evaluation.reading import PLAIN, Cost, Evaluation, Reading, mean_readings
from trainables.faults import Fault


def test_the_first_reading_is_the_models_own() -> None:
    plain = Reading(*PLAIN, {"precision": 0.5})
    refined = Reading("obrs", 2.0, {"precision": 0.9}, Cost(draws=2.0, scores=2.0))
    evaluation = Evaluation(10, True, (plain, refined))
    assert evaluation.metrics == {"precision": 0.5}
    assert [reading.key for reading in evaluation.readings] == [("none", 1.0), ("obrs", 2.0)]
    assert plain.cost is None


def test_a_diverged_trial_has_none() -> None:
    assert Evaluation(10, False, fault=Fault("why")).metrics == {}
    assert Cost() == Cost(draws=1.0, scores=0.0, gradients=0.0)


def test_readings_of_several_draws_are_their_mean() -> None:
    def draw(precision: float, draws: float, **more: float) -> tuple[Reading, ...]:
        points = np.full((2, 2), precision)
        plain = Reading(*PLAIN, {"precision": precision, **more}, samples=points)
        return plain, Reading("obrs", 2.0, {"precision": 1.0}, Cost(draws, 2 * draws, 0.0))

    found = mean_readings([draw(0.2, 1.0, kid=3.0), draw(0.4, 2.0), draw(0.9, 3.0, kid=1.0)])
    assert not isinstance(found, Fault)
    plain, refined = found
    assert plain.metrics == {"precision": pytest.approx(0.5)}, "one draw had no kid"
    assert plain.cost is None
    assert plain.samples is not None
    assert plain.samples[0, 0] == 0.2, "those of the first"
    assert refined.key == ("obrs", 2.0)
    assert refined.cost == Cost(2.0, 4.0, 0.0)
    assert mean_readings([draw(0.2, 1.0), Fault("why")]) == Fault("why")
    once = draw(0.2, 1.0)
    assert mean_readings([once]) is once
