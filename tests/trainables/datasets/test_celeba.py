"""Faces: two classes with an attribute, none without; in memory or streamed the same trial."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.trainables.datasets.made_sets import make_celeba
from trainables.datasets.celeba import CelebA


def test_an_attribute_makes_two_classes(tmp_path: Path) -> None:
    make_celeba(tmp_path / "celeba", train=6, test=4)
    plain = CelebA(root=str(tmp_path))
    smiling = CelebA(root=str(tmp_path), attribute="Smiling", held="stream")
    assert (plain.classes, smiling.classes, plain.shape) == (None, 2, (3, 64, 64))
    assert plain.source().classes_names is None
    source = smiling.source()
    assert source.streamed
    assert source.classes_names == ("not Smiling", "Smiling")
    _, y = source.reference(4)
    assert y is not None
    assert sorted(y.tolist()) == [0, 0, 0, 1]


def test_where_faces_lie_and_how_they_are_read_names_no_trial() -> None:
    assert CelebA(root="/data", held="memory", workers=0).signature() == CelebA().signature()
    assert CelebA(attribute="Bald").signature() != CelebA().signature()


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"size": 149}, "dataset.size of celeba must be in 8 … 148, got 149; use 64"),
        (
            {"attribute": " "},
            "dataset.attribute must be one of CelebA's 40, got ' '; it can be 5_o_Clock_Shadow, Arched_Eyebrows, "
            "Attractive, Bags_Under_Eyes, Bald, Bangs, Big_Lips, Big_Nose, Black_Hair, Blond_Hair, Blurry, Brown_Hair "
            "and 28 more",
        ),
        (
            {"attribute": "Smilling"},
            "dataset.attribute must be one of CelebA's 40, got 'Smilling'; did you mean 'Smiling'?",
        ),
        ({"workers": 257}, "dataset.workers must be in 0 … 256, got 257"),
        ({"root": "a\0b"}, "dataset.root must be a path without control characters, got 'a\\x00b'"),
    ],
)
def test_refusals(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        CelebA(**fields)
    assert str(refusal.value) == sentence
