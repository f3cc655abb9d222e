"""The network is found by the file that is named, or the error says where it was looked for."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tests.trainables.extractors.looks import expect_refusals
from trainables.extractors.vgg16 import WEIGHTS, Vgg16


def test_weights_are_a_field_and_left_open_by_default() -> None:
    assert Vgg16().weights is None
    assert Vgg16.argument == "weights"
    assert Vgg16(weights="w.pth").signature() == ["vgg16", 1, {"weights": "w.pth"}]


def test_weights_that_are_not_there_are_refused(tmp_path: Path) -> None:
    missing = tmp_path / "none.pth"
    with pytest.raises(ValueError, match=r".") as refusal:
        Vgg16(weights=str(missing)).build(torch.zeros(2, 3, 8, 8), None, tmp_path)
    assert f"must be a file, but {missing} is none" in str(refusal.value)


def test_files_are_looked_at_before_the_network_is_built(tmp_path: Path) -> None:
    expect_refusals(Vgg16, WEIGHTS, tmp_path)
