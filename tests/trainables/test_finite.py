"""Samples that are not finite are counted in one sentence, the same with and without torch."""

from __future__ import annotations

import numpy as np
import pytest

from trainables.finite import not_finite
from trainables.measures.arrays import as_features


def test_the_sentence_counts_and_is_the_one_of_every_metric() -> None:
    x = np.array([[1.0, np.nan], [np.inf, np.inf], [0.0, 1.0]])
    with pytest.raises(ValueError, match="FAKE must be finite") as raised:
        as_features(x, "FAKE")
    assert str(raised.value) == str(not_finite("FAKE", 2, 3))
