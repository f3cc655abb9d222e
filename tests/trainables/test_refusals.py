"""What is wrong with samples is told in one sentence, the same with and without torch."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from trainables.features.extractor import extract, identity, resize, to_bytes_range
from trainables.measures.arrays import as_features
from trainables.refusals import not_finite, other_channels, other_shape, out_of_range, several_dimensions


def test_the_sentence_counts_and_is_the_one_of_every_metric() -> None:
    x = np.array([[1.0, np.nan], [np.inf, np.inf], [0.0, 1.0]])
    with pytest.raises(ValueError, match="FAKE must be finite") as raised:
        as_features(x, "FAKE")
    assert str(raised.value) == str(not_finite("FAKE", 2, 3))


def test_sentences_are_those_of_torch() -> None:
    with pytest.raises(ValueError, match="images in floating point") as raised:
        to_bytes_range(torch.tensor([[-1.0, 2.5]]))
    assert str(raised.value) == str(out_of_range(-1.0, 2.5))
    with pytest.raises(ValueError, match="images must have shape") as raised:
        resize(torch.zeros(5, 2, 4, 4), 3)
    assert str(raised.value) == str(other_channels((5, 2, 4, 4)))
    with pytest.raises(ValueError, match="one dimension") as raised:
        extract(identity(), [torch.zeros(1, 1, 2, 2), torch.zeros(1, 1, 1, 2)])
    assert str(raised.value) == str(several_dimensions("identity", {4, 2}))


def test_the_shape_that_was_learnt_is_named() -> None:
    told = "images must have the shape (1, 8, 8) the classifier was trained on, got (1, 9, 9); resize them"
    assert str(other_shape((1, 8, 8), (1, 9, 9))) == told
