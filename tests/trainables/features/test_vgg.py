"""VGG16 features are fc2 where the weights have it, else the averaged last convolution."""

from __future__ import annotations

import pytest
import torch
from torchvision import models

from trainables.features.extractor import extract
from trainables.features.vgg import vgg16


@pytest.mark.parametrize("whole", [False, True])
def test_vgg16_takes_fc2_where_there_is_one(whole, tmp_path):
    torch.manual_seed(0)
    layers = models.vgg.make_layers(models.vgg.cfgs["D"])
    state = {f"features.{k}": v for k, v in layers.state_dict().items()}
    if whole:  # constant layers, stored as one number each
        for at, inputs, value in ((0, 25088, 1e-3), (3, 4096, -1e-3)):
            state[f"classifier.{at}.weight"] = torch.full((1,), value).expand(4096, inputs)
            state[f"classifier.{at}.bias"] = torch.full((4096,), 0.5)
    torch.save(state, tmp_path / "vgg.pth")
    extractor = vgg16(tmp_path / "vgg.pth")
    images = torch.randint(0, 256, (1, 1, 28, 28), dtype=torch.uint8)
    found = extract(extractor, [images]).values
    with torch.inference_mode():
        maps = layers(extractor.prepare(images.float()))
    if whole:
        hidden = (1e-3 * float(maps.sum()) + 0.5) * 4096
        torch.testing.assert_close(found, torch.full((1, 4096), max(0.0, 0.5 - 1e-3 * hidden)))
    else:
        torch.testing.assert_close(found, maps.mean(dim=(2, 3)))
    grey = extractor.prepare(torch.full((1, 3, 4, 4), 255 * 0.485))
    assert float(grey[0, 0].abs().max()) < 1e-5


def test_wrong_weights_are_named(tmp_path):
    with pytest.raises(ValueError, match="must be a file"):
        vgg16(tmp_path / "none.pth")
    torch.save({"features.0.weight": torch.zeros(2)}, tmp_path / "other.pth")
    with pytest.raises(ValueError, match="must hold the layers of VGG16; pass a state dict"):
        vgg16(tmp_path / "other.pth")
    layers = models.vgg.make_layers(models.vgg.cfgs["D"])
    state = {f"features.{k}": v for k, v in layers.state_dict().items()}
    torch.save(state | {"classifier.3.weight": torch.zeros(1)}, tmp_path / "half.pth")
    with pytest.raises(ValueError, match="must hold the layers of VGG16; pass a state dict"):
        vgg16(tmp_path / "half.pth")


def test_without_a_file_the_sentence_says_where_was_looked(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    with pytest.raises(ValueError, match=r"weights of VGG16 were not found: looked for vgg16-397923af\.pth"):
        vgg16()
