"""What is streamed is what is drawn: with and without workers, from any step on, and equal to images in memory."""

from __future__ import annotations

import gc
import multiprocessing
from collections.abc import Generator, Iterator
from itertools import count as counting
from itertools import islice
from pathlib import Path
from typing import cast

import pytest
import torch

from tests.trainables.datasets.made_sets import make_folder
from trainables.randomness import Noise, Stream
from trainables.sources.held import source_of_files
from trainables.sources.image_files import FilePart
from trainables.sources.image_folder import read_folder
from trainables.sources.source import Batch, Request, Source
from trainables.sources.streamed import StreamedSource

NAMES = ("cats", "dogs")
SEEDS = (4, 9)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_folder(tmp_path_factory.mktemp("images"), NAMES, each=20)


def made(folder: Path, workers: int = 0) -> StreamedSource:
    return StreamedSource(*read_folder(folder, NAMES, 8, False, 0.25), NAMES, workers)


def requests(start: int = 0, end: int | None = None) -> Iterator[Request]:
    """What a loop might ask for: two draws a step, of several streams and sizes."""
    for step in counting(start):
        if step == end:
            return
        yield Request(Stream.REAL, 2 * step, 5)
        yield Request(Stream.UNSEEN if step % 2 else Stream.LIKELIHOOD, step, 3)


def begun(source: Source, asked: Iterator[Request]) -> Generator[Batch]:
    return cast("Generator[Batch]", source.stream(SEEDS, asked))


def assert_same(found: Batch, expected: Batch) -> None:
    torch.testing.assert_close(found.x, expected.x, rtol=0, atol=0)
    assert torch.equal(found.y, expected.y)  # type: ignore[arg-type]


@pytest.mark.parametrize("workers", [0, 2])
def test_a_stream_is_what_is_drawn(workers: int, folder: Path) -> None:
    source, noise = made(folder, workers), Noise(torch.tensor(SEEDS))
    asked = [*requests(0, 6)]
    found = [*source.stream(SEEDS, iter(asked))]
    assert len(found) == len(asked)
    for request, batch in zip(asked, found, strict=True):
        assert batch.x.shape == (2, request.count, 3, 8, 8)
        assert batch.x.dtype == torch.float32
        assert_same(batch, source.draw(noise, *request))


@pytest.mark.parametrize("workers", [0, 2])
def test_a_stream_begun_later_goes_on_as_one_that_was_not_interrupted(workers: int, folder: Path) -> None:
    whole = [*made(folder).stream(SEEDS, requests(0, 8))]
    first = begun(made(folder, workers), requests())
    taken = [*islice(first, 6)]
    first.close()
    later = [*made(folder, workers).stream(SEEDS, requests(3, 8))]
    for found, expected in zip([*taken, *later], whole, strict=True):
        assert_same(found, expected)


def test_workers_end_when_the_iterator_is_closed(folder: Path) -> None:
    stream = begun(made(folder, 2), requests())
    next(stream)
    assert len(multiprocessing.active_children()) >= 2
    stream.close()
    assert not multiprocessing.active_children()


def test_a_stream_leaves_torchs_generator_alone(folder: Path) -> None:
    before = torch.get_rng_state()
    next(made(folder, 0).stream(SEEDS, requests()))
    assert torch.equal(torch.get_rng_state(), before)


def test_memory_and_files_draw_the_same(folder: Path) -> None:
    parts, noise = read_folder(folder, NAMES, 8, False, 0.25), Noise(torch.tensor(SEEDS))
    held, streamed = source_of_files(*parts, NAMES, "memory"), source_of_files(*parts, NAMES, "stream", 0)
    assert (held.streamed, streamed.streamed) == (False, True)
    for name in ("shape", "classes", "classes_names", "span", "quantum"):
        assert getattr(held, name) == getattr(streamed, name), name
    for stream in (Stream.REAL, Stream.LABELS, Stream.UNSEEN):
        assert_same(streamed.draw(noise, stream, 3, 12), held.draw(noise, stream, 3, 12))
    assert_same(streamed.reference(10), held.reference(10))
    both = (source.stream(SEEDS, requests(0, 2)) for source in (held, streamed))
    for ours, theirs in zip(*both, strict=True):
        assert_same(ours, theirs)


def test_samples_to_learn_from_come_once_each_and_as_from_memory(folder: Path) -> None:
    parts = read_folder(folder, NAMES, 8, False, 0.25)
    held, streamed = source_of_files(*parts, NAMES, "memory"), source_of_files(*parts, NAMES, "stream", 0)
    for count in (12, 1000):
        ours, theirs = streamed.labelled(count), held.labelled(count)
        assert ours is not None
        assert theirs is not None
        assert_same(ours, theirs)
        assert len(ours.x.flatten(1).unique(dim=0)) == len(ours.x) == min(count, 30)
    assert (
        source_of_files(*(FilePart(files, None) for files, _ in parts), None, "stream", 0).labelled(3) is None
    )


def test_labels_are_known_without_reading_a_file(tmp_path: Path) -> None:
    source, noise = made(make_folder(tmp_path, NAMES, each=10)), Noise(torch.tensor(SEEDS))
    expected = source.draw(noise, Stream.LABELS, 1, 9).y
    for file in tmp_path.rglob("*.png"):
        file.unlink()
    assert torch.equal(source.labels(noise, Stream.LABELS, 1, 9), expected)  # type: ignore[arg-type]


@pytest.mark.parametrize("workers", [0, 2])
def test_a_file_that_cannot_be_read_is_named_in_one_sentence(workers: int, tmp_path: Path) -> None:
    source = made(make_folder(tmp_path, NAMES, each=10), workers)
    for file in (tmp_path / "cats").iterdir():
        file.write_bytes(b"no image")
    with pytest.raises(ValueError, match=r"^[^\n]*cats/[^\n]*png must be an image[^\n]*$"):
        for _ in source.stream(SEEDS, requests(0, 10)):
            pass
    gc.collect()
    assert not multiprocessing.active_children()


def test_more_than_is_held_out_is_refused(folder: Path) -> None:
    with pytest.raises(ValueError, match=r"evaluation.samples must be at most the 10 samples held out"):
        made(folder).reference(11)
