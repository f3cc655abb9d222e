"""Simon, Webster and Rabin, Revisiting Precision and Recall Definition for Generative Model Evaluation, 2019."""

import numpy as np
import pytest
import torch
from torch import Tensor

from trainables.precision_recall import curve_from_both_sides


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
