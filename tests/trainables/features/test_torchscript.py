"""Any TorchScript file is an extractor, and what is none is refused in one sentence."""

from __future__ import annotations

import zipfile

import numpy as np
import pytest
import torch

from trainables.features.extractor import extract
from trainables.features.torchscript import load_torchscript, torchscript


def test_torchscript_file(tmp_path):
    net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(12, 4))
    path = tmp_path / "net.pt"
    torch.jit.script(net).save(path)
    images = torch.rand(3, 3, 2, 2)
    found = extract(torchscript(path), [images])
    torch.testing.assert_close(found.values, net(images).detach(), rtol=1e-4, atol=1e-5)
    other = tmp_path / "other.pt"
    torch.jit.script(torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(12, 4))).save(other)
    assert torchscript(path).fingerprint != torchscript(other).fingerprint
    torch.save(net.state_dict(), tmp_path / "state.pt")
    with pytest.raises(ValueError, match="must be a TorchScript file"):
        torchscript(tmp_path / "state.pt")
    np.save(tmp_path / "x.npy", np.zeros(3))
    with pytest.raises(ValueError, match="must be a TorchScript file"):
        torchscript(tmp_path / "x.npy")
    pair = torch.jit.trace(Pair(), torch.zeros(1, 3, 2, 2))
    pair.save(tmp_path / "pair.pt")
    with pytest.raises(ValueError, match="must return one tensor with a row per image, got tuple"):
        extract(torchscript(tmp_path / "pair.pt"), [images])


class Pair(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return x, x


class Means(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.mean(dim=3)


def test_images_are_resized_when_a_side_is_given(tmp_path):
    torch.jit.script(Means()).save(tmp_path / "means.pt")
    found = extract(torchscript(tmp_path / "means.pt", side=4), [torch.full((2, 1, 9, 9), 0.5)])
    torch.testing.assert_close(found.values, torch.full((2, 12), 0.5))  # three channels of four rows
    plain, resized = torchscript(tmp_path / "means.pt"), torchscript(tmp_path / "means.pt", side=4)
    assert plain.fingerprint != resized.fingerprint
    assert "resized to 4×4" in resized.description


def test_images_the_network_cannot_take_are_named(tmp_path):
    net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(12, 4))
    torch.jit.script(net).save(tmp_path / "net.pt")
    with pytest.raises(
        ValueError, match=r"net.pt must take images of shape \(1, 3, 5, 5\) in .* but it failed"
    ):
        extract(torchscript(tmp_path / "net.pt"), [torch.zeros(1, 3, 5, 5)])


def test_a_missing_file_and_a_state_dict_are_told_from_a_network(tmp_path):
    torch.save({"a": torch.zeros(2)}, tmp_path / "state.pt")
    torch.jit.script(Means()).save(tmp_path / "net.pt")
    with pytest.raises(ValueError, match="must be a TorchScript file; save the network with"):
        load_torchscript(tmp_path / "state.pt")
    with pytest.raises(ValueError, match=r"there is no file .*none\.pt"):
        load_torchscript(tmp_path / "none.pt")
    assert not load_torchscript(tmp_path / "net.pt").training


def test_a_damaged_network_is_a_sentence(tmp_path):
    torch.jit.script(Means()).save(tmp_path / "net.pt")
    with zipfile.ZipFile(tmp_path / "net.pt") as whole, zipfile.ZipFile(tmp_path / "cut.pt", "w") as cut:
        for name in whole.namelist():
            cut.writestr(name, b"" if name.endswith("data.pkl") else whole.read(name))
    with pytest.raises(
        ValueError, match="must be a TorchScript file, but it is damaged, or of another torch"
    ):
        load_torchscript(tmp_path / "cut.pt")
