"""The network is found by the file that is named, or the error says where it was looked for."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from trainables.extractors.extractor import Images
from trainables.extractors.vgg16 import WEIGHTS, Vgg16

IMAGES = Images(5, frozenset({(1, 8, 8), (3, 8, 8)}))


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
    torch.save({WEIGHTS.layer: torch.zeros(WEIGHTS.shape)}, tmp_path / "x.pth")
    member = Vgg16(weights=str(tmp_path / "x.pth"))
    member.look(IMAGES, IMAGES)
    with pytest.raises(ValueError, match=r"must have shape \(n, 1 or 3, height, width\)"):
        member.look(IMAGES, Images(5, frozenset({(2, 8, 8)})))
    torch.save({WEIGHTS.layer: torch.zeros(3)}, tmp_path / "x.pth")
    with pytest.raises(ValueError, match=f"must hold {WEIGHTS.what}, but it has no {WEIGHTS.layer} of shape"):
        member.look(IMAGES, IMAGES)
    with pytest.raises(ValueError, match="must be a file, but"):
        Vgg16(weights=str(tmp_path / "none.pth")).look(IMAGES, IMAGES)
