"""Samples on disk are all there, with what they cost, or nothing is; they are written while they are drawn."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from torch import Tensor

from explorer.errors import UserError
from explorer.refining.samples_out import check_name, check_out, is_file, write_samples
from tests.trainables.samplers.known_model import Known, of_ratios
from trainables.refinements.mh import MetropolisHastings
from trainables.refinements.obrs import Obrs
from trainables.safetensors import Array
from trainables.samplers.constants import tuned
from trainables.samplers.pool import Pool
from trainables.samplers.refining import Refining

TOLD = {"model": "known", "method": "obrs"}


class Pictures:
    """Images (c, 4, 4) whose first pixel is the number of the draw, of three classes in turn or of none."""

    def __init__(self, channels: int = 1, classes: int | None = 3, block: int = 8) -> None:
        self.shape = (channels, 4, 4)
        self._classes, self._block = classes, block

    def pools(self, seed: int, first: int = 0) -> Iterator[Pool]:
        start = first * self._block
        while True:
            number = torch.arange(start, start + self._block)
            points = torch.full((self._block, *self.shape), 7.0)
            points[:, :, 0, 0] = number[:, None].float()
            classes = None if self._classes is None else number % self._classes
            yield Pool(points, torch.zeros(self._block), torch.ones(self._block), classes)
            start += self._block

    def shown(self, points: Tensor) -> Array:
        return points.to(torch.uint8).numpy()


def stream_of(model: Any, budget: float = 2.0, seed: int = 4) -> Refining:
    constants = None if budget == 1 else tuned(model, Obrs(), budget, 2000, seed)
    return Refining(model, Obrs(), budget, constants, seed)


def write(out: Path, model: Any, count: int, budget: float = 2.0, seed: int = 4) -> dict[str, Any]:
    return write_samples(model, stream_of(model, budget, seed), count, out, TOLD)


@pytest.mark.parametrize("classes", [None, 3])
@pytest.mark.parametrize("budget", [1.0, 2.0])
def test_a_file_has_the_stream_and_what_it_cost(tmp_path: Path, classes: int | None, budget: float) -> None:
    out = tmp_path / "samples.npz"
    model = Known(numbers=2, classes=classes)
    stream = stream_of(model, budget)
    made = write_samples(model, stream, 700, out, TOLD)
    pieces = list(stream_of(model, budget).pieces(700))
    with np.load(out) as found:
        assert set(found) == {"samples", "made"} | ({"classes"} if classes else set())
        np.testing.assert_array_equal(found["samples"], torch.cat([piece.points for piece in pieces]))
        if classes:
            expected = torch.cat([piece.classes for piece in pieces if piece.classes is not None])
            np.testing.assert_array_equal(found["classes"], expected)
        assert json.loads(str(found["made"])) == made
    assert made == {**TOLD, "ledger": stream.ledger.plain()}
    assert made["ledger"]["samples"] == 700
    assert (made["ledger"]["draws"] == 700) is (budget == 1)
    assert [place.name for place in tmp_path.iterdir()] == ["samples.npz"]


def test_a_file_that_was_there_gives_way(tmp_path: Path) -> None:
    out = tmp_path / "samples.npz"
    for count in (30, 20):
        write(out, Known(), count)
    with np.load(out) as found:
        assert found["samples"].shape == (20, 1)


@pytest.mark.parametrize("there", [False, True])
def test_a_folder_has_images_by_their_classes(tmp_path: Path, there: bool) -> None:
    out = tmp_path / "images"
    if there:
        out.mkdir()
    made = write(out, Pictures(), 20, budget=1)
    found = sorted(path.relative_to(out).as_posix() for path in out.rglob("*.png"))
    assert found == sorted(f"{place % 3}/{place:05d}.png" for place in range(20))
    for path in out.rglob("*.png"):
        with Image.open(path) as image:
            assert (image.mode, image.size) == ("L", (4, 4))
            assert image.getpixel((0, 0)) == int(path.stem)
    assert json.loads((out / "ledger.json").read_text()) == made
    assert {place.name for place in out.iterdir()} == {"0", "1", "2", "ledger.json"}
    assert [place.name for place in tmp_path.iterdir()] == ["images"]


def test_images_of_no_class_lie_side_by_side_in_colour(tmp_path: Path) -> None:
    write(tmp_path / "images", Pictures(3, None), 5, budget=1)
    names = {place.name for place in (tmp_path / "images").iterdir()}
    assert names == {*(f"{place:05d}.png" for place in range(5)), "ledger.json"}
    with Image.open(tmp_path / "images" / "00003.png") as image:
        assert (image.mode, image.getpixel((0, 0))) == ("RGB", (3, 3, 3))


def test_a_folder_is_open_to_all_to_whom_others_are(tmp_path: Path) -> None:
    (tmp_path / "usual").mkdir()
    write(tmp_path / "images", Pictures(), 3, budget=1)
    assert (tmp_path / "images").stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.parametrize("name", ["samples.npz", "images", "there"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, OSError])
def test_what_is_interrupted_leaves_nothing(tmp_path: Path, name: str, error: type[BaseException]) -> None:
    (tmp_path / "there").mkdir()

    def interrupt(done: int, count: int) -> None:
        if done >= 16:
            raise error

    model = Pictures()
    with pytest.raises(error):
        write_samples(model, stream_of(model, 1.0), 100, tmp_path / name, TOLD, interrupt)
    assert list(tmp_path.rglob("*")) == [tmp_path / "there"]
    write(tmp_path / name, model, 10, budget=1)
    assert (tmp_path / name).exists()


@pytest.mark.parametrize("name", ["samples.npz", "images"])
def test_pieces_are_written_before_the_next_one_is_drawn(tmp_path: Path, name: str) -> None:
    model, sizes = Pictures(block=16), []

    def hear(done: int, count: int) -> None:
        written = [place for place in tmp_path.rglob("*") if place.is_file()]
        samples = [place for place in written if place.name == "samples"]
        images = [place for place in written if place.suffix == ".png"]
        sizes.append(len(images) + sum(place.stat().st_size for place in samples) // 16)
        assert done - 16 - 512 <= sizes[-1] <= done - 16  # 8 KiB may wait in a file's buffer

    write_samples(model, stream_of(model, 1.0), 1600, tmp_path / name, TOLD, hear)
    assert len(sizes) == 100
    assert sizes[-1] >= 1600 - 16 - 512


def test_draws_that_come_to_an_end_give_what_there_is(tmp_path: Path) -> None:
    out = tmp_path / "samples.npz"
    made = write(out, of_ratios(torch.zeros(300)), 1000)
    with np.load(out) as found:
        assert len(found["samples"]) == made["ledger"]["samples"]
    assert 100 < made["ledger"]["samples"] < 200
    assert made["ledger"]["draws"] == 300


@pytest.mark.parametrize("name", ["samples.npz", "images"])
def test_draws_of_which_none_is_kept_are_no_file(tmp_path: Path, name: str) -> None:
    model = of_ratios(torch.zeros(5))
    with pytest.raises(ValueError, match="none of 5 draws were kept, so that there is nothing to write"):
        write_samples(model, stream_of(model, 1e6), 3, tmp_path / name, TOLD)
    assert not list(tmp_path.iterdir())


def test_draws_that_are_fewer_than_a_chain_takes_are_not_told_as_refused_ones(tmp_path: Path) -> None:
    model, chain = of_ratios(torch.zeros(5)), MetropolisHastings()
    stream = Refining(model, chain, 6.0, tuned(model, chain, 6.0, 100, 0))
    with pytest.raises(
        ValueError, match="the draws came to an end before one sample was over, so that there is noth"
    ):
        write_samples(model, stream, 3, tmp_path / "samples.npz", TOLD)


def test_places_that_take_no_samples_are_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.npz").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "old.png").touch()
    (tmp_path / "file").touch()
    (tmp_path / "old.v2").mkdir()
    refused = {
        "folder.npz": r"written to a file '.*folder\.npz', and there is a folder of that name",
        "full": "written to a new or an empty folder, and '.*full' holds something",
        "file": "written to a new or an empty folder, and '.*file' holds something",
        "samples.npy": r"a \.npz file or to a folder, got '.*samples\.npy'; end it in \.npz",
        "no/samples.npz": "samples cannot be written to '.*': there is no folder .*no",
        "no/images": "samples cannot be written to '.*': there is no folder .*no",
    }
    for name, sentence in refused.items():
        with pytest.raises(UserError, match=sentence):
            check_name(tmp_path / name)
    for name in ("samples.npz", "images", "old.v2"):
        check_name(tmp_path / name)
        assert is_file(tmp_path / name) is (name == "samples.npz")


@pytest.mark.parametrize("shape", [(2,), (4, 4), (2, 4, 4)])
def test_a_folder_takes_images_alone(tmp_path: Path, shape: tuple[int, ...]) -> None:
    with pytest.raises(
        UserError, match=r"a folder takes grey or coloured images, and samples have the shape \("
    ):
        check_out(tmp_path / "images", shape)
    check_out(tmp_path / "samples.npz", shape)
    check_out(tmp_path / "images", (3, 4, 4))
