"""What an evaluation tells of its draws goes into the trial's own file alone."""

from __future__ import annotations

import numpy as np

from tests.trainables.samplers.trained import trained
from trainables.rejection.obrs import obrs_acceptance
from trainables.samplers.ratios import MOST_RATIOS


def test_they_are_those_of_the_draws_that_were_read() -> None:
    import torch

    population, evaluation, _ = trained("points")
    ratios = evaluation.ratios
    assert ratios is not None
    assert 2400 < len(ratios.values) <= MOST_RATIOS
    pool = population.sample(len(ratios.values), population.iteration)
    own = population.objective.log_ratio(population.logits(pool))[0]
    slope = ratios.scale / float(population.objective.slopes()[0])
    np.testing.assert_allclose(ratios.values, (slope * own).numpy(), rtol=1e-4, atol=1e-5)
    kept = {reading.budget: reading.metrics["acceptance"] for reading in evaluation.readings}
    for budget in (2.0, 4.0):
        accept = obrs_acceptance(torch.from_numpy(ratios.values), budget)
        assert abs(float(accept.mean()) - kept[budget]) < 0.05
