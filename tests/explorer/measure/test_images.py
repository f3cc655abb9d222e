"""Folders are looked through by headers; what is no image, or too much of one, is refused by name."""

from __future__ import annotations

import io
import random
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from explorer.errors import UserError
from explorer.measure.images import MOST_BESIDE, MOST_PIXELS, outline_folder, read_image
from tests.explorer.measure.mangled.folders import image_bytes, png_bytes

RNG = random.Random(0)


def test_the_outline_is_as_large_as_the_largest_image(tmp_path: Path) -> None:
    Image.new("L", (9, 4)).save(tmp_path / "b.png")
    Image.new("RGBA", (5, 7)).save(tmp_path / "a.PNG")
    (tmp_path / "notes.txt").write_text("no image")
    found = outline_folder(tmp_path)
    assert [file.name for file in found.files] == ["a.PNG", "b.png"]
    assert found.shape == (2, 3, 7, 9)
    assert not found.is_features


@pytest.mark.parametrize(
    ("mode", "channels"), [("1", 3), ("L", 1), ("P", 3), ("RGB", 3), ("LA", 3), ("RGBA", 3)]
)
def test_images_are_grey_or_coloured(mode: str, channels: int, tmp_path: Path) -> None:
    Image.new(mode, (6, 5)).save(tmp_path / "x.png")
    assert outline_folder(tmp_path).shape == (1, channels, 5, 6)
    pixels = read_image(tmp_path / "x.png")
    assert pixels.shape == (channels, 5, 6)
    assert pixels.dtype == np.uint8


def _frames(form: str) -> bytes:
    buffer = io.BytesIO()
    first, second = Image.new("RGB", (4, 4)), Image.new("RGB", (4, 4), (9, 0, 0))
    first.save(buffer, form, save_all=True, append_images=[second])
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "it is an empty file"),
        (b"no image", "it is none"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 6 5\n", "it is none"),
        (image_bytes(RNG, "PNG", size=(64, 64))[:300], "damaged or none"),
        (image_bytes(RNG, "JPEG", size=(64, 64))[:-90], "image file is truncated"),
        (png_bytes(2**12, 2**12 + 1, b""), f"at most {MOST_PIXELS} pixels, got 4096×4097"),
        (b"P2 8 8 255\n" + b"#\n" * 10_000, "more follows than its pixels"),
        (b"P6" + b" " * 10_000 + b"8 8 255\n" + bytes(192), "its size is not at its beginning"),
        (b"P6 8 x 255\n" + bytes(192), "its size is not at its beginning"),
        (b"P2 2000 2000 255\n" + b"1 " * 100, "not be text or packed run by run"),
        (
            image_bytes(RNG, "PNG", size=(8, 8)) + bytes(MOST_BESIDE + 1024),
            "be as large as an image of 8×8 can be",
        ),
        (png_bytes(2**31 - 1, 2**31 - 1, b""), "damaged or none: Image size"),
        (png_bytes(9, 9, zlib.compress(b"")), "damaged or none"),
        (_frames("GIF"), "it is none"),
        (_frames("PNG"), "one image, but it has several frames"),
        (_frames("WEBP"), "one image, but it has several frames"),
        (_frames("TIFF"), "one image, but it has several frames"),
    ],
)
def test_what_is_no_image_is_refused_by_name(
    content: bytes, told: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.png").write_bytes(content)
    with pytest.raises(UserError, match=f"x.png must .*{told}"):
        outline_folder(tmp_path)
    assert capfd.readouterr() == ("", "")


def test_photographs_with_a_second_picture_inside_are_one_image(tmp_path: Path) -> None:
    (tmp_path / "x.jpg").write_bytes(_frames("MPO"))
    assert outline_folder(tmp_path).shape == (1, 3, 4, 4)


def test_images_deeper_than_bytes_are_refused(tmp_path: Path) -> None:
    Image.fromarray(np.full((4, 4), 40000, dtype=np.uint16)).save(tmp_path / "x.png")
    with pytest.raises(UserError, match=r"x\.png must have 8 bits per channel"):
        outline_folder(tmp_path)


def test_folders_have_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for i in range(5):
        Image.new("L", (2, 2)).save(tmp_path / f"{i}.png")
    monkeypatch.setattr("explorer.measure.images.MOST_FILES", 5)
    assert len(outline_folder(tmp_path)) == 5
    monkeypatch.setattr("explorer.measure.images.MOST_FILES", 4)
    with pytest.raises(UserError, match="must have at most 4 entries"):
        outline_folder(tmp_path)


def test_the_first_images_are_read_whole_and_the_rest_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Image.new("L", (64, 64)).save(tmp_path / "0.png")
    (tmp_path / "1.jpg").write_bytes(image_bytes(RNG, "JPEG", size=(64, 64))[:-90])
    with pytest.raises(UserError, match=r"1\.jpg must be an image, but it is damaged"):
        outline_folder(tmp_path)
    monkeypatch.setattr("explorer.measure.images.TRIED_PIXELS", 64 * 64)
    assert len(outline_folder(tmp_path).files) == 2
    monkeypatch.setattr("explorer.measure.images.TRIED_PIXELS", 64 * 64 + 1)
    monkeypatch.setattr("explorer.measure.images.TRIED", 1)
    found = outline_folder(tmp_path)
    with pytest.raises(UserError, match=r"1\.jpg must be an image, but it is damaged"):
        read_image(found.files[1])


@pytest.mark.parametrize(
    "content",
    [
        b"P6 4 4 255\n" + bytes(48),
        b"P6\n# made by hand\n4 4\n# and more\n255\n" + b"#" * 48,
        b"P5 4 4 255\n" + b" " * 16,
        b"P4 4 4\n" + b" " * 4,
        b"P3 4 4 255 " + b"1 2 3 " * 16,
    ],
)
def test_portable_maps_are_read(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.ppm").write_bytes(content)
    assert outline_folder(tmp_path).shape[2:] == (4, 4)


@pytest.mark.parametrize("start", [b"Pf", b"P0CMYK", b"PyP", b"PyRGBA#", b"PyCMYK\n"])
def test_maps_that_pillow_alone_knows_are_refused_unread(start: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.ppm").write_bytes(start + b" " * 10_000)
    with pytest.raises(UserError, match=r"must be a portable map of bytes, P1 to P6; save it as \.png"):
        outline_folder(tmp_path)


def test_a_damaged_tiff_is_told_once(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    noise = np.frombuffer(RNG.randbytes(64 * 64), np.uint8).reshape(64, 64)
    Image.fromarray(noise).save(tmp_path / "x.tiff", compression="tiff_deflate")
    content = bytearray((tmp_path / "x.tiff").read_bytes())
    content[40:60] = bytes(20)
    (tmp_path / "x.tiff").write_bytes(content)
    with pytest.raises(UserError, match=r"x\.tiff must be an image, but it is damaged or none"):
        outline_folder(tmp_path)
    assert capfd.readouterr() == ("", "")
