"""Arrays and tensors are read, joined and written over alike."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor

from trainables.measures.knn.numbers import joined, numbers, put


def test_a_cpu_reads_arrays_in_the_same_memory():
    x = torch.arange(6.0)
    seen = numbers(x)
    assert isinstance(seen, np.ndarray)
    assert numbers(seen) is seen
    x[2] = 9
    assert seen[2] == 9


@pytest.mark.parametrize("read", [Tensor.numpy, Tensor.clone])
def test_parts_are_joined_in_order_and_written_over_in_place(read):
    whole = joined([read(torch.arange(2)), read(torch.arange(5, 8))])
    assert type(whole) is type(read(torch.arange(2)))
    assert whole.tolist() == [0, 1, 5, 6, 7]
    put(whole[1:3], read(torch.tensor([-1, -2])))
    assert whole.tolist() == [0, -1, -2, 6, 7]
