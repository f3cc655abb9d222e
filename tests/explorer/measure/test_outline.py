"""What a set is follows from the shape and type of its array, and what cannot be one is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.measure.outline import Header, Outline, outline_array
from trainables.extractors.extractor import Images

PATH = Path("x.npz")


def outlined(**arrays: tuple[tuple[int, ...], str]) -> Outline:
    headers = {name: Header(*pair) for name, pair in arrays.items()}
    return outline_array(PATH, headers, headers.__getitem__)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ((7,), (7, 1)),
        ((7, 3), (7, 3)),
        ((7, 8, 9), (7, 1, 8, 9)),
        ((7, 3, 8, 9), (7, 3, 8, 9)),
        ((7, 8, 9, 3), (7, 3, 8, 9)),
        ((7, 3, 9, 3), (7, 3, 9, 3)),
        ((7, 4, 8, 9), (7, 4, 8, 9)),
    ],
)
def test_shapes_have_samples_first_and_channels_second(
    shape: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    found = outlined(a=(shape, "uint8"))
    assert found.shape == expected
    assert len(found) == 7
    assert found.is_features == (len(expected) == 2)


def test_one_array_is_meant() -> None:
    x, y = ((5, 2), "float32"), ((4, 2), "float64")
    assert outlined(whatever=x).array == "whatever"
    assert outlined(a=y, features=x, images=y).array == "features"
    assert outlined(a=y, images=x).array == "images"
    for arrays in ({}, {"a": x, "b": y}, {"labels": x}):
        with pytest.raises(UserError, match=r"must hold one array, or one named features or images, got"):
            outlined(**arrays)


def test_headers_are_asked_only_of_what_counts() -> None:
    asked: list[str] = []

    def header(name: str) -> Header:
        asked.append(name)
        return Header((5, 2) if name == "features" else (5,), "int64")

    found = outline_array(PATH, ["a", "labels", "features"], header)
    assert asked == ["features", "labels"]
    assert found.labelled


@pytest.mark.parametrize(
    ("shape", "dtype", "told"),
    [
        ((5, 2), "complex64", "must hold real numbers, got complex64"),
        ((5, 2), "object", "without pickled objects, got object"),
        ((5, 2), "longdouble", "at most 8 bytes .*, got longdouble"),
        ((), "float32", r"got shape \(\)"),
        ((0, 2), "float32", r"at least one sample and one number each, got shape \(0, 2\)"),
        ((5, 0), "float32", r"got shape \(5, 0\)"),
        ((10**100, 2), "float32", "fewer than 2\\^60 numbers"),
        ((5, -2), "float32", r"got shape \(5, -2\)"),
        ((2,) * 99, "float32", r"got shape \(2, 2, .* … .*2, 2\)"),
        ((5, 4, 4), "int64", "images must be bytes or floats in .*, got int64"),
    ],
)
def test_what_is_no_set_is_refused(shape: tuple[int, ...], dtype: str, told: str) -> None:
    with pytest.raises(UserError, match=told):
        outlined(a=(shape, dtype))


@pytest.mark.parametrize(
    ("shape", "dtype", "told"),
    [
        ((5,), "float32", "array of integers 0, 1, …, got float32"),
        ((4,), "int64", r"got shape \(4,\) for 5 samples"),
        ((5, 1), "int64", r"got shape \(5, 1\) for 5 samples"),
        ((2**60,), "int64", "for 5 samples"),
    ],
)
def test_labels_are_one_integer_per_sample(shape: tuple[int, ...], dtype: str, told: str) -> None:
    with pytest.raises(UserError, match=told):
        outlined(features=((5, 2), "float32"), labels=(shape, dtype))


def test_sizes_in_memory() -> None:
    for dtype, stored, measured in (("float16", 2, 4), ("float32", 4, 4), ("float64", 8, 8), ("uint8", 1, 8)):
        found = outlined(a=((5, 2), dtype))
        assert (found.itemsize, found.worksize) == (stored, measured)
    assert outlined(a=((5, 3, 8, 9), "uint8")).dimension == 216


def test_images_are_told_to_extractors() -> None:
    found = outlined(images=((7, 8, 9), "uint8"), labels=((7,), "int64"))
    assert found.images == Images(7, frozenset({(1, 8, 9)}), labelled=True)
    shapes = frozenset({(1, 4, 5), (3, 6, 6)})
    assert Outline(PATH, (4, 3, 6, 6), shapes=shapes).images == Images(4, shapes)
