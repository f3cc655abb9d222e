"""Every extractor: features (n, d) of samples, the same at every call; those of weights say what they lack."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from tests.trainables.family_contract import (
    check_every_name_is_listed,
    check_imports_without_torch,
    check_member,
)
from trainables.extractors import EXTRACTORS, FeatureExtractor
from trainables.extractors.classifier import OwnClassifier
from trainables.extractors.identity import Identity
from trainables.extractors.inception import Inception
from trainables.extractors.torchscript import TorchScript
from trainables.extractors.vgg16 import Vgg16
from trainables.features.extractor import extract

MEMBERS: list[FeatureExtractor] = [
    Identity(),
    OwnClassifier(),
    TorchScript(file="net.pt"),
    Inception(weights="inception.pth"),
    Vgg16(weights="vgg.pth"),
]
NEED_WEIGHTS = ("inception", "vgg16")
every = pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)


@pytest.fixture(scope="module")
def images() -> tuple[Tensor, Tensor]:
    """Forty images of 8 × 8 in two classes, dark and light."""
    y = torch.arange(40) % 2
    x = 0.3 * torch.rand(40, 1, 8, 8, generator=torch.Generator().manual_seed(0))
    return x + 0.6 * y[:, None, None, None], y


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("nets") / "net.pt"
    with torch.random.fork_rng():
        torch.manual_seed(0)
        torch.jit.script(nn.Sequential(nn.Flatten(), nn.Linear(64, 5))).save(str(path))
    return path


def test_every_extractor_is_under_the_contract() -> None:
    check_every_name_is_listed(EXTRACTORS, MEMBERS)


def test_extractors_are_named_without_torch() -> None:
    check_imports_without_torch("trainables.extractors")


@every
def test_an_extractor_is_a_member(member: FeatureExtractor) -> None:
    check_member(EXTRACTORS, member)
    assert member.argument is None or member.argument in {field.name for field in type(member).declared()}


@every
def test_features_are_rows_and_the_same_at_every_call(
    member: FeatureExtractor, images: tuple[Tensor, Tensor], network: Path, tmp_path: Path
) -> None:
    if member.name in NEED_WEIGHTS:
        with pytest.raises(ValueError, match=r"must be a file, but .* is none"):
            member.build(*images, tmp_path)
        return
    if isinstance(member, TorchScript):
        member = replace(member, file=str(network))
    built, again = member.build(*images, tmp_path), member.build(*images, tmp_path)
    assert built.fingerprint == again.fingerprint
    values = extract(built, images[0].split(16)).values
    assert values.shape == (40, values.shape[1])
    assert torch.isfinite(values).all()
    assert len(values.unique(dim=0)) == 40
    torch.testing.assert_close(extract(again, images[0].split(40)).values, values, rtol=1e-4, atol=1e-5)
