"""CelebA's parts, attributes and faces; lists or images that are missing or damaged are named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.trainables.datasets.made_sets import make_celeba, picture
from trainables.sources.celeba import read_celeba


def test_the_official_parts_and_an_attribute(tmp_path: Path) -> None:
    make_celeba(tmp_path, train=6, test=4)
    seen, unseen = read_celeba(tmp_path, 32, "Smiling")
    assert (len(seen.files), len(unseen.files)) == (6, 4)  # the image between them belongs to neither
    assert seen.labels is not None
    assert unseen.labels is not None
    assert seen.labels.tolist() == [1, 0, 0, 1, 0, 0]
    assert unseen.labels.tolist() == [0, 0, 1, 0]  # images 7 to 10
    assert read_celeba(tmp_path, 32, None)[0].labels is None


def test_a_face_is_the_middle_of_the_image(tmp_path: Path) -> None:
    make_celeba(tmp_path, train=1, test=1)
    image = Image.new("RGB", (178, 218), (255, 0, 0))
    image.paste((0, 0, 255), (15, 35, 163, 183))  # 148×148 in the middle
    image.save(tmp_path / "img_align_celeba" / "000001.jpg", quality=100, subsampling=0)
    face = read_celeba(tmp_path, 64, None)[0].files.read([0])[0]
    assert face.shape == (3, 64, 64)
    assert int(face[0].max()) < 30
    assert int(face[2].min()) > 220


@pytest.mark.parametrize(
    ("file", "content", "sentence"),
    [
        ("list_eval_partition.txt", "000001.jpg 0\n000002.jpg", "1 numbers on every line, but not on line 2"),
        ("list_eval_partition.txt", "../secret 0\n", "1 numbers on every line, but not on line 1"),
        ("list_eval_partition.txt", "000001.jpg 0\n", "must name images of the parts 0 and 2"),
        ("list_attr_celeba.txt", "", "those in"),
        ("list_attr_celeba.txt", "2\nBald Smiling\n000001.jpg -1 1\n", "must have a line for every image"),
        ("list_attr_celeba.txt", "2\nBald Smiling\n000001.jpg -1\n", "must have an image and 2 numbers on every line"),
    ],
)  # fmt: skip
def test_a_damaged_list_is_named(file: str, content: str, sentence: str, tmp_path: Path) -> None:
    make_celeba(tmp_path, train=2, test=2)
    (tmp_path / file).write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=sentence) as refusal:
        read_celeba(tmp_path, 64, "Smiling")
    assert str(tmp_path / file) in str(refusal.value)


def test_a_list_that_is_no_text_is_named(tmp_path: Path) -> None:
    make_celeba(tmp_path, train=2, test=2)
    (tmp_path / "list_eval_partition.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match=r"list_eval_partition.txt must be a list of CelebA"):
        read_celeba(tmp_path, 64, None)


def test_missing_images_are_counted_and_the_first_is_named(tmp_path: Path) -> None:
    make_celeba(tmp_path, train=3, test=3)
    for name in ("000002.jpg", "000006.jpg"):
        (tmp_path / "img_align_celeba" / name).unlink()
    with pytest.raises(ValueError, match=r"but 2 are missing, 000002.jpg first; unpack img_align_celeba.zip"):
        read_celeba(tmp_path, 64, None)


def test_an_unknown_attribute_is_answered_with_the_nearest(tmp_path: Path) -> None:
    make_celeba(tmp_path, train=2, test=2)
    with pytest.raises(ValueError, match="got 'Smilling'; did you mean 'Smiling'"):
        read_celeba(tmp_path, 64, "Smilling")


def test_an_image_smaller_than_its_crop_is_refused(tmp_path: Path) -> None:
    make_celeba(tmp_path, train=1, test=1)
    picture(0, 100, 218).save(tmp_path / "img_align_celeba" / "000001.jpg")
    with pytest.raises(ValueError, match=r"000001.jpg must be an image of at least 148×148, got 100×218"):
        read_celeba(tmp_path, 64, None)[0].files.read(np.array([0]))
