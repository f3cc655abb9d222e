"""The network is found by the file that is named, or the error says where it was looked for."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tests.trainables.extractors.looks import IMAGES, expect_refusals
from trainables.extractors.inception import WEIGHTS, Inception


def test_weights_are_a_field_and_left_open_by_default() -> None:
    assert Inception().weights is None
    assert Inception.argument == "weights"
    assert Inception(weights="w.pth").signature() == ["inception", 1, {"weights": "w.pth"}]


def test_weights_that_are_not_there_are_refused(tmp_path: Path) -> None:
    missing = tmp_path / "none.pth"
    with pytest.raises(ValueError, match=r".") as refusal:
        Inception(weights=str(missing)).build(torch.zeros(2, 3, 8, 8), None, tmp_path)
    assert f"must be a file, but {missing} is none" in str(refusal.value)


def test_files_are_looked_at_before_the_network_is_built(tmp_path: Path) -> None:
    expect_refusals(Inception, WEIGHTS, tmp_path)
    torch.jit.script(torch.nn.Flatten()).save(str(tmp_path / "net.pt"))
    Inception(weights=str(tmp_path / "net.pt")).look(IMAGES, IMAGES)
