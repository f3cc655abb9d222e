"""Images are read as they are, when they are asked for; one of another size is named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from tests.trainables.samplers.given import folder, pictures
from trainables.samplers.image_samples import ImageSamples


@pytest.mark.parametrize("channels", [1, 3])
def test_pixels_are_those_of_the_files_in_their_order(channels: int, tmp_path: Path) -> None:
    place = folder(tmp_path / "a", 30, channels)
    files = [f"{i:04}.png" for i in reversed(range(30))]
    samples = ImageSamples(place, files)
    assert (samples.shape, len(samples)) == ((channels, 4, 4), 30)
    pixels = pictures(30, channels)[::-1]
    expected = pixels.transpose(0, 3, 1, 2) if channels == 3 else pixels[:, None]
    blocks = list(samples.blocks(8))
    assert [len(block) for block in blocks] == [8, 8, 8, 6]
    assert torch.equal(torch.cat(blocks), torch.from_numpy(np.ascontiguousarray(expected)))
    assert torch.equal(next(samples.blocks(8, 2)), blocks[2])


def test_an_image_is_opened_when_its_block_is_asked_for(tmp_path: Path) -> None:
    place = folder(tmp_path / "a", 20)
    samples = ImageSamples(place, [f"{i:04}.png" for i in range(20)])
    (place / "0015.png").write_bytes(b"none")
    blocks = samples.blocks(10)
    assert len(next(blocks)) == 10
    with pytest.raises(ValueError, match=r"0015.png must be an image, but it is damaged or none"):
        next(blocks)


def test_other_sizes_and_kinds_are_named(tmp_path: Path) -> None:
    place = folder(tmp_path / "a", 3)
    Image.new("RGB", (5, 4)).save(place / "0001.png")
    with pytest.raises(ValueError, match=r"0001.png must have the shape \(3, 4, 4\) .*, got \(3, 4, 5\)"):
        list(ImageSamples(place, ["0000.png", "0001.png"]).blocks(8))
    grey = folder(tmp_path / "b", 3, channels=1)
    Image.new("RGB", (4, 4)).save(grey / "0001.png")
    with pytest.raises(ValueError, match=r"0001.png must be grey like the first image"):
        list(ImageSamples(grey, ["0000.png", "0001.png"]).blocks(8))
    with pytest.raises(ValueError, match="must have samples, but has none"):
        ImageSamples(place, [])
