"""Features of a set: as given, or by the extractor that was named; statistics of the real side are kept."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor

from explorer.errors import UserError
from explorer.measure.extraction import (
    StoredReference,
    check_kinds,
    choose_extractor,
    extract_set,
    extractor_named,
)
from explorer.measure.inputs import SampleSet
from explorer.measure.outline import Outline
from trainables.extractors.vgg16 import Vgg16
from trainables.features import ReferenceStore

FEATURES = SampleSet(Path("features.npy"), array=torch.rand(6, 3))
IMAGES = SampleSet(Path("images.npy"), array=torch.randint(0, 255, (6, 1, 4, 4), dtype=torch.uint8))


def test_features_are_used_as_they_are(tmp_path: Path) -> None:
    assert choose_extractor(None, FEATURES, tmp_path) is None
    assert torch.equal(extract_set(FEATURES, None, "cpu", print)["features"], FEATURES.tensor)


def test_both_sides_are_of_one_kind() -> None:
    features = Outline(Path("features.npy"), (6, 3), "float32")
    images = Outline(Path("images.npy"), (6, 1, 4, 4))
    check_kinds(None, features, features)
    check_kinds("identity", features, features)
    check_kinds("vgg16", images, images)
    for pair, told in (
        ((features, images), r"REAL holds features \(N, d\), so FAKE must too; images\.npy holds images"),
        ((images, features), r"REAL holds images, so FAKE must too; features\.npy holds features \(N, d\)"),
        ((features, Outline(Path("x"), (6, 4))), "must have the same dimension, got 3 and 4"),
    ):
        with pytest.raises(UserError, match=told):
            check_kinds(None, *pair)
    with pytest.raises(UserError, match=r"already holds features \(N, d\); extractor vgg16 needs images"):
        check_kinds("vgg16", features, features)


def test_pixels_are_features_too(tmp_path: Path) -> None:
    said: list[str] = []
    extractor = choose_extractor("identity", IMAGES, tmp_path)
    found = extract_set(IMAGES, extractor, "cpu", said.append)
    assert found["features"].shape == (6, 16)
    assert "logits" not in found
    assert said[-1] == "identity features of images.npy: 6 of 6"


def test_a_path_names_a_torchscript_file(tmp_path: Path) -> None:
    file = tmp_path / "flat.pt"
    torch.jit.script(torch.nn.Flatten()).save(file)
    for name in (str(file), f"torchscript={file}"):
        extractor = choose_extractor(name, IMAGES, tmp_path)
        assert extract_set(IMAGES, extractor, "cpu", lambda text: None)["features"].shape == (6, 16)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("nonsense", "features must be .*identity.* or a TorchScript file, got 'nonsense'"),
        ("identity=x", "extractor identity takes no argument, got identity=x"),
    ],
)
def test_an_extractor_that_is_none_is_refused(name: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=told):
        choose_extractor(name, IMAGES, tmp_path)
    with pytest.raises(UserError, match=told):
        extractor_named(name)


def test_left_out_it_is_inception() -> None:
    assert extractor_named(None).name == "inception"
    assert extractor_named("vgg16=x.pth") == Vgg16(weights="x.pth")
    with pytest.raises(UserError, match="or a TorchScript file"):
        extractor_named("x" * 5000)


def test_a_part_of_the_reference_is_computed_once_per_data_extractor_and_count(tmp_path: Path) -> None:
    calls: list[int] = []

    def compute() -> dict[str, Tensor]:
        calls.append(1)
        return {"mean": torch.ones(2)}

    store = ReferenceStore(tmp_path)
    one = StoredReference(store, "data", "none", 6)
    assert torch.equal(one.get("gaussian", compute)["mean"], torch.ones(2))
    assert torch.equal(
        StoredReference(store, "data", "none", 6).get("gaussian", compute)["mean"], torch.ones(2)
    )
    assert len(calls) == 1
    for other in (("else", "none", 6), ("data", "vgg", 6), ("data", "none", 7)):
        StoredReference(store, *other).get("gaussian", compute)
    one.get("radii", compute)
    assert len(calls) == 5
