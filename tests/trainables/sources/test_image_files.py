"""Images of many kinds become squares of bytes; what is none is named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from torchvision.transforms.functional import center_crop, pil_to_tensor, resize

from tests.trainables.datasets.made_sets import picture
from trainables.sources.image_files import ImageFiles, cores


def test_the_middle_square_is_resized_as_torchvision_does(tmp_path: Path) -> None:
    image = picture(0, 60, 44)
    image.save(tmp_path / "a.png")
    found = ImageFiles([str(tmp_path / "a.png")], 16).read([0])[0]
    expected = pil_to_tensor(resize(center_crop(image, [44, 44]), [16, 16]))
    assert np.array_equal(found, expected.numpy())
    wider = ImageFiles([str(tmp_path / "a.png")], 16, crop=20).read([0])[0]
    assert np.array_equal(wider, pil_to_tensor(resize(center_crop(image, [20, 20]), [16, 16])).numpy())


def test_an_image_of_its_size_is_left_alone(tmp_path: Path) -> None:
    image = picture(0, 16, 16)
    image.save(tmp_path / "a.png")
    assert np.array_equal(
        ImageFiles([str(tmp_path / "a.png")], 16).read([0])[0], pil_to_tensor(image).numpy()
    )


@pytest.mark.parametrize(
    ("mode", "suffix"),
    [("RGB", "jpg"), ("L", "png"), ("RGBA", "png"), ("P", "png"), ("1", "bmp"), ("CMYK", "tiff")],
)
def test_grey_and_colour_are_as_asked(mode: str, suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"a.{suffix}"
    picture(1, 12, 12).convert(mode).save(file)
    assert ImageFiles([str(file)], 8).read([0]).shape == (1, 3, 8, 8)
    grey = ImageFiles([str(file)], 8, grey=True)
    assert grey.shape == (1, 8, 8)
    assert grey.read([0]).shape == (1, 1, 8, 8)


def test_threads_read_what_one_reads_in_order(tmp_path: Path) -> None:
    for seed in range(150):
        picture(seed, 6, 6).save(tmp_path / f"{seed}.png")
    files = ImageFiles([str(tmp_path / f"{seed}.png") for seed in range(150)], 4)
    assert np.array_equal(files.read_all(), files.read(range(150)))
    assert np.array_equal(files.read_all(70), files.read(range(70)))
    assert np.array_equal(files.chosen(torch.tensor([9, 2])).read_all(), files.read([9, 2]))


def damaged(path: Path) -> None:
    picture(0, 300, 300).save(path)
    path.write_bytes(path.read_bytes()[:2000])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def postscript(path: Path) -> None:
    path.write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n")


def absent(path: Path) -> None:
    assert not path.exists()


@pytest.mark.parametrize("spoil", [damaged, empty, postscript, absent])
def test_what_is_no_image_is_named(spoil: Callable[[Path], None], tmp_path: Path) -> None:
    good, bad = tmp_path / "good.png", tmp_path / "bad.png"
    picture(0, 9, 9).save(good)
    spoil(bad)
    files = ImageFiles([str(good)] * 200 + [str(bad)], 8)
    for read in (files.read_all, lambda: files.read([200])):
        with pytest.raises(ValueError, match=r"bad.png must be an image, but it is damaged or none"):
            read()


def test_more_than_bytes_and_giants_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Image.fromarray(np.zeros((9, 9), dtype=np.uint16)).save(tmp_path / "deep.png")
    picture(0, 30, 30).save(tmp_path / "wide.png")
    monkeypatch.setattr("trainables.sources.image_files.MOST_PIXELS", 800)
    with pytest.raises(ValueError, match=r"deep.png must have 8 bits per channel, got mode I;16"):
        ImageFiles([str(tmp_path / "deep.png")], 8).read([0])
    with pytest.raises(ValueError, match=r"wide.png must have at most 800 pixels, got 30×30"):
        ImageFiles([str(tmp_path / "wide.png")], 8).read([0])


def test_there_is_a_core() -> None:
    assert cores() >= 1
