"""An evaluation's metrics are those of the model as it is."""

from __future__ import annotations

from trainables.evaluation.reading import PLAIN, Cost, Evaluation, Reading
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
