"""Simon, Webster and Rabin, Revisiting Precision and Recall Definition for Generative Model Evaluation, 2019."""

import numpy as np
import pytest
import torch
from torch import Tensor

from trainables.precision_recall import RatioLaw, curve_from_both_sides


def algorithm_1(real: Tensor, model: Tensor, lam: float, beyond: bool) -> float:
    """min over thresholds t of λ·fpr + fnr; `beyond` adds a threshold above every score."""
    thresholds = torch.cat([real, model])
    if beyond:
        thresholds = torch.cat([thresholds, torch.tensor([torch.inf], dtype=thresholds.dtype)])
    fpr = (real < thresholds[:, None]).double().mean(-1)
    fnr = (model >= thresholds[:, None]).double().mean(-1)
    return float((lam * fpr + fnr).min())


@pytest.mark.parametrize("lam", [0.01, 0.05, 0.2])
def test_thresholds_of_algorithm_1(lam: float) -> None:
    """Algorithm 1 tries the scores themselves as thresholds and calls them sufficient; one above all is missing.

    Without it the classifier that calls everything generated is not tried, α_λ ≤ λ is lost and recall exceeds 1.
    """
    real = torch.tensor([0.2, 0.4, 0.6, 0.5], dtype=torch.float64)
    model = torch.tensor([0.9, 0.3, 0.8, 0.1], dtype=torch.float64)  # the highest score is a generated sample
    corrected = algorithm_1(real, model, lam, beyond=True)
    assert corrected <= lam
    assert corrected / lam <= 1.0
    assert algorithm_1(real, model, lam, beyond=False) / lam > 1.5  # recall above 1, as printed
    ours = curve_from_both_sides(real.log(), model.log(), np.array([lam]))
    assert float(ours.recall[0]) <= 1.0


def test_ends_of_the_curve_of_theorem_3() -> None:
    """(3) covers the front of Definition 3 for positive pairs only: Definition 2 admits (1, 0) and (0, 1) always."""
    p = torch.tensor([0.5, 0.5, 0.0], dtype=torch.float64)
    q = torch.tensor([0.0, 0.25, 0.75], dtype=torch.float64)

    def attained(alpha: float, beta: float, mu: Tensor) -> bool:
        return bool((p >= beta * mu).all()) and bool((q >= alpha * mu).all())  # (1)

    assert attained(1.0, 0.0, q)  # no α′ > 1, so Definition 3 puts (1, 0) on the front
    assert attained(0.0, 1.0, p)
    curve = RatioLaw.from_masses(p, q)
    lambdas = torch.cat((torch.logspace(-9, 9, 2000), torch.tensor([0.0, torch.inf]))).double()
    assert float(curve.alpha(lambdas).max()) == 0.25  # Q(supp P), far from 1
    assert float(curve.beta(lambdas).max()) == 0.5
    # A positive pair beyond it is not attained: α ≤ Q(supp P) for every μ that P has some of.
    common = torch.minimum(p, q) / torch.minimum(p, q).sum()
    assert attained(0.25, 0.5, common)
    assert not attained(0.26, 0.01, common)
