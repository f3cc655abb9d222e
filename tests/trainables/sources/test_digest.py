"""Digests change with any sample, any label, any file, and with nothing else."""

from __future__ import annotations

from pathlib import Path

import torch

from tests.trainables.datasets.made_sets import make_folder
from trainables.datasets.gaussians8 import Gaussians8
from trainables.sources.array_source import ArraySource
from trainables.sources.digest import DIGITS, digest_of_parts, digest_of_texts
from trainables.sources.image_folder import read_folder
from trainables.sources.image_source import ImageSource
from trainables.sources.source import Batch
from trainables.sources.streamed import StreamedSource

NAMES = ("cats", "dogs")


def test_any_number_and_any_label_counts() -> None:
    x, y = torch.arange(12).reshape(6, 2), torch.arange(6)
    found = digest_of_parts([Batch(x, y)])
    other = x.clone()
    other[5, 1] += 1
    assert len(found) == DIGITS
    assert found == digest_of_parts([Batch(x.clone(), y)])
    digests = {found, digest_of_parts([Batch(other, y)]), digest_of_parts([Batch(x, y.flip(0))])}
    digests |= {digest_of_parts([Batch(x)]), digest_of_parts([Batch(x.reshape(2, 6))])}
    assert len(digests) == 5


def test_long_parts_are_read_piece_by_piece() -> None:
    x = torch.arange(10_000)
    other = x.clone()
    other[9_999] = 0
    assert digest_of_parts([Batch(x)]) != digest_of_parts([Batch(other)])


def test_texts_count_in_their_order() -> None:
    assert digest_of_texts(["a", "b"]) != digest_of_texts(["b", "a"]) != digest_of_texts(["ab"])


def test_made_data_have_none_and_held_data_one() -> None:
    assert Gaussians8().source().digest() is None
    points = torch.arange(20.0).reshape(10, 2)
    assert ArraySource(points).digest() == ArraySource(points.clone()).digest()
    assert ArraySource(points).digest() != ArraySource(points + 1).digest()
    images = torch.zeros(4, 1, 2, 2, dtype=torch.uint8)
    assert (
        ImageSource(Batch(images), Batch(images)).digest()
        != ImageSource(Batch(images), Batch(images + 1)).digest()
    )


def test_files_that_are_streamed_are_told_by_names_and_sizes(tmp_path: Path) -> None:
    folder = make_folder(tmp_path, NAMES, each=8)

    def made(size: int = 8) -> str:
        return StreamedSource(*read_folder(folder, NAMES, size, False, 0.25), NAMES, 0).digest()

    found = made()
    assert found == made()
    assert found != made(size=4)
    file = next(folder.rglob("*.png"))
    file.write_bytes(file.read_bytes() + b"\0")
    assert found != made()
