"""Classes can be chosen by name or number, images padded; what there is none of is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from tests.trainables.datasets.made_sets import labelled, make_cifar10, make_mnist
from trainables.datasets.cifar10 import Cifar10
from trainables.datasets.digits import Digits
from trainables.datasets.fashion_mnist import PACKAGE, FashionMnist
from trainables.datasets.mnist import Mnist
from trainables.randomness import Noise, Stream


def test_classes_are_renumbered_in_the_order_asked_for(tmp_path: Path) -> None:
    make_mnist(tmp_path, train=100, test=50)
    member = Mnist(only=("7", 2), root=str(tmp_path))
    assert (member.classes, member.shape) == (2, (1, 28, 28))
    source = member.source()
    assert source.classes_names == ("7", "2")
    x, y = source.draw(Noise(torch.tensor([0])), Stream.REAL, 0, 200)
    first = ((x[0, :, 0, 0, 0] + 1) * 127.5).round().long()  # the first pixel is the label
    assert y is not None
    assert torch.equal(torch.tensor([7, 2])[y[0]], first)
    assert set(first.tolist()) == {2, 7}
    assert len(source.reference(10).x) == 10  # one in five of the 50


def test_a_choice_has_one_spelling() -> None:
    by_name = FashionMnist(only=("ankle boot", "bag"))
    assert by_name == FashionMnist(only=(9, 8)) == FashionMnist(only=["9", "8"])  # type: ignore[arg-type]
    assert by_name.signature() == ["fashion_mnist", 1, {"only": [9, 8]}]


def test_where_data_lies_names_no_trial() -> None:
    assert Mnist(root="/data").signature() == Mnist().signature()
    assert Mnist(root="/data").plain()["root"] == "/data"
    assert Mnist(size=32).signature() != Mnist().signature()


def test_padding_is_black_all_around(tmp_path: Path) -> None:
    make_mnist(tmp_path, train=30, test=20)
    small, large = (Mnist(size=size, root=str(tmp_path)).source().reference(20) for size in (28, 32))
    assert torch.equal(large.x[:, :, 2:30, 2:30], small.x)
    frame = torch.ones(32, 32, dtype=torch.bool)
    frame[2:30, 2:30] = False
    assert bool((large.x[:, 0, frame] == -1).all())
    assert Digits(size=32).source().shape == (1, 32, 32)


def test_colours_keep_their_channels(tmp_path: Path) -> None:
    make_cifar10(tmp_path / "cifar-10-batches-py", batch=10, test=10)
    source = Cifar10(root=str(tmp_path)).source()
    images, _ = labelled(10, (3, 32, 32), 5)
    found = {row.numpy().tobytes() for row in ((source.reference(10).x + 1) * 127.5).round().byte()}
    assert found == {image.tobytes() for image in images}


def test_digits_have_seventeen_greys() -> None:
    source = Digits().source()
    assert source.quantum == 1 / 8
    assert len(source.reference(100).x.unique()) == 17
    assert len(Digits(held_out=0.5).source().reference(898).x) == 898


@pytest.mark.parametrize(
    ("kind", "fields", "sentence"),
    [
        (Mnist, {"size": 64}, "dataset.size of mnist must be one of 28, 32, got 64"),
        (Digits, {"size": 28}, "dataset.size of digits must be one of 8, 16, 32, got 28"),
        (Mnist, {"only": ()}, "dataset.only needs at least one class, got an empty list"),
        (Mnist, {"only": (3, "3")}, "dataset.only must name each class once, got [3, '3']"),
        (Mnist, {"only": (10,)}, "dataset.only of mnist must have classes 0 to 9 or their names, got 10; "),
        (Mnist, {"only": (-1,)}, "dataset.only of mnist must have classes 0 to 9 or their names, got -1"),
        (FashionMnist, {"only": ("sneeker",)}, "dataset.only of fashion_mnist must have classes 0 to 9 or their names, "
         "got 'sneeker'; it can be T-shirt, trouser, pullover"),
        (Cifar10, {"root": ""}, "dataset.root must name a file or folder, got ''"),
        (Digits, {"held_out": 1.0}, "dataset.held_out must be in [0.01, 0.9], got 1.0; use 0.2"),
    ],
)  # fmt: skip
def test_refusals(kind: Any, fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        kind(**fields)
    assert str(refusal.value).startswith(sentence)


def test_classes_without_images_are_refused(tmp_path: Path) -> None:
    make_mnist(tmp_path, train=5, test=5)  # classes 0 to 4
    with pytest.raises(ValueError, match=r"dataset mnist has no images of the classes \[7\]"):
        Mnist(only=(7,), root=str(tmp_path)).source()


@pytest.mark.skipif(not PACKAGE.is_dir(), reason="the Debian package dataset-fashion-mnist is not installed")
def test_the_real_fashion_mnist_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path))
    monkeypatch.delenv("TRADEOFF_DATA", raising=False)
    source = FashionMnist(only=("sneaker",), size=32).source()
    assert source._seen.x.shape == (6000, 1, 32, 32)
    assert source._unseen.x.shape == (1000, 1, 32, 32)
