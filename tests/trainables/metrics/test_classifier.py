"""The classifier's curve: full for sets it cannot tell apart, empty for sets it can."""

from __future__ import annotations

import torch

from trainables.metrics.classifier import Classifier
from trainables.metrics.pair import Pair


def test_equal_laws_and_distant_ones() -> None:
    generator = torch.Generator().manual_seed(0)
    x, y = torch.randn(2, 400, 2, generator=generator)
    alike = Classifier().measure(Pair(x, y))
    apart = Classifier().measure(Pair(x, y + 20))
    for key, most in (("classifier.f8", 0.1), ("classifier.f1_8", 0.4), ("classifier.auc", 0.1)):
        assert alike.values[key] > 0.7
        assert apart.values[key] < most
    assert list(alike.curves) == ["classifier"]
