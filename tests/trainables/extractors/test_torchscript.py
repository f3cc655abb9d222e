"""A saved network is read from its file; without one there is a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

from trainables.extractors.extractor import Images
from trainables.extractors.torchscript import TorchScript
from trainables.features.extractor import extract


def test_features_are_those_of_the_network(tmp_path: Path) -> None:
    network = nn.Sequential(nn.Flatten(), nn.Linear(16, 3))
    torch.jit.script(network).save(str(tmp_path / "net.pt"))
    x = torch.rand(6, 1, 4, 4, generator=torch.Generator().manual_seed(0))
    built = TorchScript(file=str(tmp_path / "net.pt")).build(x, None, tmp_path)
    torch.testing.assert_close(extract(built, [x]).values, network(x).detach(), rtol=1e-5, atol=1e-6)
    assert TorchScript.argument == "file"


def test_without_a_file_it_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        TorchScript().build(torch.zeros(2, 1, 4, 4), None, tmp_path)
    assert str(refusal.value) == (
        "extractor torchscript needs the file of a network; write {name: torchscript, file: net.pt}"
    )
    with pytest.raises(ValueError, match=r"there is no file .*none\.pt"):
        TorchScript(file=str(tmp_path / "none.pt")).build(torch.zeros(2, 1, 4, 4), None, tmp_path)


def test_the_file_is_looked_at_before_it_is_loaded(tmp_path: Path) -> None:
    images = Images(5, frozenset({(1, 4, 4)}))
    torch.jit.script(nn.Flatten()).save(str(tmp_path / "net.pt"))
    TorchScript(file=str(tmp_path / "net.pt")).look(images, images)
    with pytest.raises(ValueError, match="extractor torchscript needs the file of a network"):
        TorchScript().look(images, images)
    torch.save({"a": torch.zeros(1)}, tmp_path / "state.pt")
    with pytest.raises(ValueError, match="must be a TorchScript file"):
        TorchScript(file=str(tmp_path / "state.pt")).look(images, images)
