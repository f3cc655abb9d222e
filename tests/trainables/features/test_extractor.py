"""Feeding images: scaling, resizing, identity, TorchScript, progress."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from trainables.features.extractor import extract, identity, resize, to_bytes_range
from trainables.features.torchscript import torchscript


def test_bytes_and_unit_floats_agree():
    images = torch.arange(48, dtype=torch.uint8).reshape(1, 3, 4, 4) * 5
    assert torch.equal(to_bytes_range(images), images.float())
    torch.testing.assert_close(to_bytes_range(images.float() / 255), images.float())
    with pytest.raises(ValueError, match=r"\[0, 1\], got values from -1"):
        to_bytes_range(torch.tensor([[-1.0, 0.5]]))
    with pytest.raises(ValueError, match="int64"):
        to_bytes_range(torch.zeros(1, dtype=torch.int64))


def test_resize_is_bilinear_between_pixel_centres():
    """Doubling a 1×2 ramp: centres at ¼ and ¾ of the way, ends clamped, no antialiasing when shrinking."""
    ramp = torch.tensor([0.0, 8.0]).view(1, 1, 1, 2).expand(1, 1, 2, 2)
    torch.testing.assert_close(resize(ramp, 4)[0, 0, 0], torch.tensor([0.0, 2.0, 6.0, 8.0]))
    spike = torch.zeros(1, 1, 9, 9)
    spike[0, 0, 0, 0] = 9.0
    assert float(resize(spike, 3).max()) == 0.0  # an antialiased resize would spread the spike
    assert resize(torch.zeros(2, 1, 5, 5), 5).shape == (2, 3, 5, 5)
    with pytest.raises(ValueError, match="1 or 3"):
        resize(torch.zeros(2, 4, 5, 5), 5)


def test_identity_flattens_in_order_and_reports_progress():
    images = torch.randint(0, 256, (5, 1, 2, 3), dtype=torch.uint8)
    seen = []
    found = extract(identity(), images.split(2), progress=seen.append)
    torch.testing.assert_close(found.values, images.flatten(1).float() / 255)
    assert found.logits is None
    assert seen == [2, 4, 5]
    with pytest.raises(ValueError, match="no images"):
        extract(identity(), [])


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
