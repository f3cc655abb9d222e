"""A fault is one sentence; what leaves a device unusable is told from what does not."""

from __future__ import annotations

import pytest
import torch

from trainables.faults import Fault, fault_of, reason_of, spoils_device


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ValueError(""), "ValueError"),
        (MemoryError(), "MemoryError: there was none left"),
        (OSError("x" * 1900), "OSError: " + "x" * 991),
        (RuntimeError("first\n  last \n\n"), "RuntimeError: last"),
        (KeyError("inside"), "KeyError: 'inside'"),
        (RuntimeError("no g++\n\nSet TORCHDYNAMO_VERBOSE=1 for the stack trace"), "RuntimeError: no g++"),
    ],
)
def test_a_reason_is_one_line(error: Exception, reason: str) -> None:
    assert reason_of(error) == reason
    assert fault_of(error) == Fault(reason, "memory" if "emory" in type(error).__name__ else "raised")


@pytest.mark.parametrize(
    ("error", "spoils"),
    [
        (torch.AcceleratorError("CUDA error: an illegal memory access was encountered"), True),
        (RuntimeError("CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling cublasSgemm"), True),
        (RuntimeError("cuDNN error: CUDNN_STATUS_EXECUTION_FAILED"), True),
        (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB"), False),
        (RuntimeError("mat1 and mat2 shapes cannot be multiplied"), False),
        (ValueError("CUDA error"), False),
        (MemoryError(), False),
        (OSError("no space left on device"), False),
    ],
)
def test_what_spoils_a_device(error: Exception, spoils: bool) -> None:
    assert spoils_device(error) is spoils
