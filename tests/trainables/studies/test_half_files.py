"""Files in half precision: smaller, close, and readable once they are widened."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from trainables.safetensors import read_tensors, tensor_bytes
from trainables.samplers.keeping import RATIOS
from trainables.studies.half_files import narrowed, rounded, widened

numbers = arrays.arrays(
    np.float32, arrays.array_shapes(max_dims=2, max_side=6), elements=st.floats(-60_000, 60_000, width=32)
)


@given(weights=numbers, ratios=numbers)
def test_every_weight_is_kept_to_half_precision_and_ratios_as_they_are(weights, ratios):
    data = tensor_bytes({"generator.w": weights, RATIOS: ratios, "n": np.arange(3)}, {"a": "b"})
    tensors, texts = read_tensors(rounded(data))
    assert texts == {"a": "b"}
    assert tensors["generator.w"].dtype == np.float32
    error = np.abs(tensors["generator.w"] - weights)
    assert (error <= np.maximum(2.0**-11 * np.abs(weights), 2.0**-25)).all()
    np.testing.assert_array_equal(tensors[RATIOS], ratios)
    np.testing.assert_array_equal(tensors["n"], np.arange(3))


def test_a_narrowed_file_takes_half_the_room_and_a_wide_one_is_left_alone():
    data = tensor_bytes({"w": np.ones((100, 100), np.float32)}, {})
    assert len(narrowed(data)) == pytest.approx(len(data) / 2, rel=0.01)
    assert widened(data) == data
    assert narrowed(narrowed(data)) == narrowed(data)


def test_numbers_too_large_are_refused():
    with pytest.raises(ValueError, match="tensor 'w' has numbers beyond 65504"):
        narrowed(tensor_bytes({"w": np.array([1e6], np.float32)}, {}))
