"""Images are bytes in memory and numbers in [-1, 1] when drawn."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from trainables.randomness import Noise, Stream
from trainables.sources.array_source import ArraySource
from trainables.sources.image_source import ImageSource, bytes_to_span
from trainables.sources.source import Batch


def noise(*seeds: int) -> Noise:
    return Noise(torch.tensor(seeds))


def numbered(start: int, count: int, labelled: bool = True) -> Batch:
    """Image i has the grey level i, and the class i mod 3."""
    line = torch.arange(start, start + count)
    x = line.to(torch.uint8)[:, None, None, None].expand(count, 1, 2, 2).contiguous()
    return Batch(x, line % 3 if labelled else None)


def level(x: Tensor) -> Tensor:
    return ((x[..., 0, 0, 0].double() + 1) * 127.5).round().long()


def test_every_byte_has_its_place_between_minus_one_and_one() -> None:
    found = bytes_to_span(torch.arange(256).to(torch.uint8))
    expected = torch.arange(256, dtype=torch.float64) / 127.5 - 1
    torch.testing.assert_close(found.double(), expected, rtol=0, atol=1e-7)
    assert found.dtype == torch.float32
    assert (float(found[0]), float(found[255])) == (-1.0, 1.0)


def test_draws_are_those_of_an_array_source() -> None:
    """The same hashed uniforms choose the same samples of an equal training part."""
    images = numbered(0, 100)
    array = ArraySource(images.x, images.y, held_out=0.2)
    seen, unseen = array._seen, array._unseen  # the parts themselves are not public
    source = ImageSource(Batch(seen.x.byte(), seen.y), Batch(unseen.x.byte(), unseen.y))
    expected = array.draw(noise(3, 8), Stream.REAL, 4, 30)
    found = source.draw(noise(3, 8), Stream.REAL, torch.tensor(4), 30)
    torch.testing.assert_close(found.x, bytes_to_span(expected.x), rtol=0, atol=0)
    assert torch.equal(found.y, expected.y)  # type: ignore[arg-type]


def test_parts_stay_apart_and_labels_with_their_images() -> None:
    source = ImageSource(numbered(0, 60), numbered(60, 30))
    assert (source.classes, source.shape, source.span, source.quantum) == (3, (1, 2, 2), (-1.0, 1.0), 2 / 255)
    for stream, allowed in (
        (Stream.REAL, range(60)),
        (Stream.LABELS, range(60)),
        (Stream.UNSEEN, range(60, 90)),
    ):
        x, y = source.draw(noise(0, 1), stream, 2, 500)
        assert set(level(x).flatten().tolist()) == set(allowed)
        assert y is not None
        assert torch.equal(level(x) % 3, y)


def test_the_reference_is_not_the_order_of_the_files() -> None:
    source = ImageSource(numbered(0, 10), numbered(10, 60))
    x, y = source.reference(20)
    assert y is not None
    levels = level(x).tolist()
    assert len(set(levels)) == 20
    assert levels != list(range(10, 30))
    assert torch.equal(level(x) % 3, y)
    with pytest.raises(ValueError, match=r"evaluation.samples must be at most the 60 samples held out"):
        source.reference(61)


def test_images_stay_bytes_on_their_device() -> None:
    source = ImageSource(numbered(0, 60, labelled=False), numbered(60, 30, labelled=False)).to("cpu")
    assert source._seen.x.dtype == torch.uint8
    assert (source.classes, source.classes_names, source.quantum) == (None, None, 2 / 255)
    assert source.draw(noise(0), Stream.REAL, 0, 2).y is None
    assert source.labels(noise(0), Stream.REAL, 0, 2) is None


def test_levels_and_names_are_kept() -> None:
    names = ("a", "b", "c", "d")
    source = ImageSource(numbered(0, 9), numbered(9, 9), names, levels=17).to("cpu")
    assert (source.classes, source.classes_names, source.quantum) == (4, names, 1 / 8)


@pytest.mark.parametrize(
    ("seen", "unseen", "names", "sentence"),
    [
        (Batch(torch.zeros(3, 1, 2, 2)), numbered(0, 3), None, "images must be bytes"),
        (numbered(0, 0, False), numbered(0, 3, False), None, "images must be bytes"),
        (numbered(0, 3), Batch(torch.zeros(3, 1, 2, 3).byte(), torch.zeros(3)), None, "images must be bytes"),
        (numbered(0, 3), numbered(0, 3, False), None, "labels must be one whole number"),
        (numbered(0, 3), Batch(numbered(0, 3).x, torch.zeros(2)), None, "labels must be one whole number"),
        (
            numbered(0, 3),
            Batch(numbered(0, 3).x, torch.full((3,), -1)),
            None,
            "labels must be one whole number",
        ),
        (numbered(0, 3), numbered(0, 3), ("a", "b"), "labels must be below the number of classes, 2, got 2"),
    ],
)
def test_what_does_not_fit_is_refused(seen: Batch, unseen: Batch, names: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{sentence}"):
        ImageSource(seen, unseen, names)


def test_what_features_learn_from_is_of_the_training_part_and_of_all_of_it() -> None:
    source = ImageSource(numbered(0, 40), numbered(100, 20))
    found = source.labelled(10)
    assert found is not None
    assert found.y is not None
    numbers = level(found.x).tolist()
    assert len(set(numbers)) == 10
    assert max(numbers) < 40
    assert sorted(numbers) != list(range(10)), "not the first ones of a file"
    whole = source.labelled(1000)
    assert whole is not None
    assert len(whole.x) == 40
    assert (
        ImageSource(numbered(0, 40, labelled=False), numbered(100, 20, labelled=False)).labelled(10) is None
    )
