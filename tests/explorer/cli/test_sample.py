"""``tradeoff sample``: files and folders of samples, whole or not at all, and places that take none."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.explorer.cli.running import ran, refusal
from tests.explorer.refining.own_store import copied, held
from tests.explorer.refining.stored_trials import LAM, RING, TAGS, stored, table_of, trial_of
from tests.trainables.samplers.scripts import Images, saved

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def uri() -> str:
    return stored()


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def points(uri: str) -> tuple[str, ...]:
    """Arguments that name a model of points."""
    return (trial_of(uri, RING, **{"objective.name": "gan"}).id, "--tracking-uri", uri)


@pytest.fixture
def digits(uri: str) -> tuple[str, ...]:
    """Arguments that name a conditional model of images."""
    return (table_of(uri, TAGS).trials[0].run_id, "--tracking-uri", uri)


def arrays(file: str) -> dict[str, Any]:
    with np.load(file) as found:
        return {name: found[name] for name in found.files}


def test_a_file_has_samples_and_how_they_were_made(points: tuple[str, ...]) -> None:
    code, out, err = ran("sample", *points, "-n", 30, "--budget", 2, "--method", "mh", "--out", "a.npz")
    assert (code, err) == (0, "")
    assert out.startswith("30 samples in a.npz; each took 2 draws, 2 scores, 0 gradients and ")
    found = arrays("a.npz")
    assert set(found) == {"samples", "made"}
    assert (found["samples"].shape, found["samples"].dtype) == ((30, 2), np.float32)
    made = json.loads(str(found["made"]))
    assert made["trial"] == points[0]
    assert (made["sweep"], made["method"], made["budget"], made["seed"]) == (RING, "mh", 2.0, 0)
    assert (made["ledger"]["samples"], made["ledger"]["draws"]) == (30, 60)


def test_json_is_what_stands_in_the_file(points: tuple[str, ...]) -> None:
    code, out, err = ran("sample", *points, "--out", "a.npz", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == json.loads(str(arrays("a.npz")["made"]))
    assert json.loads(out)["ledger"]["samples"] == 64


def test_equal_seeds_give_equal_samples(points: tuple[str, ...]) -> None:
    for name, seed in (("a.npz", 1), ("b.npz", 1), ("c.npz", 2)):
        assert ran("sample", *points, "--budget", 3, "--seed", seed, "--out", name).code == 0
    first, same, other = (arrays(name)["samples"] for name in ("a.npz", "b.npz", "c.npz"))
    assert np.array_equal(first, same)
    assert not np.array_equal(first, other)


def test_fewer_samples_are_the_first_of_more(points: tuple[str, ...]) -> None:
    for count in (10, 3000):
        assert ran("sample", *points, "-n", count, "--out", f"{count}.npz").code == 0
    assert np.array_equal(arrays("10.npz")["samples"], arrays("3000.npz")["samples"][:10])


def test_the_model_as_it_is_needs_no_critic_that_knows_the_ratio(uri: str) -> None:
    hinge = trial_of(uri, RING, **{"objective.name": "hinge"}).id
    assert ran("sample", hinge, "--out", "a.npz", "--tracking-uri", uri).code == 0
    assert len(arrays("a.npz")["samples"]) == 64
    assert "whose best critic does not determine the ratio" in refusal(
        "sample", hinge, "--budget", 2, "--out", "b.npz", "--tracking-uri", uri
    )


def test_images_of_classes_lie_in_a_folder_each(digits: tuple[str, ...], place: Path) -> None:
    code, _, err = ran("sample", *digits, "-n", 40, "--budget", 2, "--out", "images/")
    assert (code, err) == (0, "")
    ledger = json.loads(Path("images", "ledger.json").read_text())
    assert (ledger["sweep"], ledger["ledger"]["samples"]) == (TAGS, 40)
    files = sorted(Path("images").glob("*/*.png"), key=lambda file: file.name)
    assert [file.name for file in files] == [f"{number:05}.png" for number in range(40)]
    assert {file.parent.name for file in files} <= {str(digit) for digit in range(10)}
    assert len({file.parent.name for file in files}) > 3
    assert ran("sample", *digits, "-n", 40, "--budget", 2, "--out", "same.npz").code == 0
    same = arrays("same.npz")
    assert same["classes"].tolist() == [int(file.parent.name) for file in files]
    for file, image in zip(files, same["samples"], strict=True):
        assert np.array_equal(np.asarray(Image.open(file)), image[0])
    assert sorted(file.name for file in place.iterdir()) == ["images", "same.npz"]


def test_all_samples_are_of_the_class_that_is_asked_for(digits: tuple[str, ...]) -> None:
    for budget in (1, 3):
        asked = ("-n", 20, "--label", 7, "--budget", budget)
        assert ran("sample", *digits, *asked, "--out", f"{budget}.npz").code == 0
        assert arrays(f"{budget}.npz")["classes"].tolist() == [7] * 20
    assert ran("sample", *digits, "-n", 3, "--label", 0, "--out", "images").code == 0
    assert sorted(file.name for file in Path("images").iterdir()) == ["0", "ledger.json"]


def test_an_empty_folder_is_filled_and_keeps_what_it_is(digits: tuple[str, ...], place: Path) -> None:
    Path("empty").mkdir(mode=0o750)
    node = Path("empty").stat().st_ino
    Path("link").symlink_to("empty")
    assert ran("sample", *digits, "-n", 3, "--label", 5, "--out", "link").code == 0
    assert Path("empty").stat().st_ino == node
    assert Path("link").is_symlink()
    assert sorted(file.name for file in Path("empty").iterdir()) == ["5", "ledger.json"]


def test_nothing_goes_to_the_store(tmp_path: Path, points: tuple[str, ...]) -> None:
    own = copied(stored(), tmp_path / "own")
    before = held(own)
    assert ran("sample", points[0], "--budget", 2, "--out", "a.npz", "--tracking-uri", own).code == 0
    assert held(own) == before


REFUSED: list[tuple[tuple[object, ...], str]] = [
    ((), "samples need a place; give --out FILE.npz, or --out FOLDER for images"),
    (("--out", "full"), "samples are written to a new or an empty folder, and 'full' holds something"),
    (("--out", "full/a.txt"), "samples are written to a .npz file or to a folder, got 'full/a.txt'; end it in .npz"),
    (("--out", "folder.npz"), "samples are written to a file 'folder.npz', and there is a folder of that name"),
    (("--out", "no/a.npz"), "samples cannot be written to 'no/a.npz': there is no folder no"),
    (("--out", "no/images"), "samples cannot be written to 'no/images': there is no folder no"),
    (("--out", "images"), "a folder takes grey or coloured images, and samples have the shape (2,); write them to a"),
    (("--out", "/proc/a.npz"), "samples cannot be written to /proc/a.npz: "),
    (("--out", "x" * 300 + ".npz"), "255 a name"),
    (("--out", "a.npz", "-n", 0), "n must be a whole number from 1 "),
    (("--out", "a.npz", "-n", "many"), "Invalid value for '-n' / '--samples'"),
    (("--out", "a.npz", "--budget", 0.9), "budget K must be ≥ 1, got 0.9; use K=1"),
    (("--out", "a.npz", "--budget", "inf"), "budget K must be ≥ 1, got inf"),
    (("--out", "a.npz", "--label", 1), "--label must be a class that the model makes, and trial "),
    (("--out", "a.npz", "--method", "obsr"), "cannot be 'obsr'; did you mean 'obrs'?"),
    (("--out", "a.npz", "--seed", -1), "the seed must be a whole number from 0 "),
]  # fmt: skip


@pytest.mark.parametrize(("options", "sentence"), REFUSED)
def test_what_cannot_be_drawn_or_written_is_one_sentence(
    points: tuple[str, ...], place: Path, options: tuple[object, ...], sentence: str
) -> None:
    for folder in ("full/of", "folder.npz"):
        Path(folder).mkdir(parents=True)
    before = sorted(place.rglob("*"))
    assert sentence in refusal("sample", *points, *options)
    assert sorted(place.rglob("*")) == before


def test_a_class_that_is_not_there_and_a_trial_that_is_not_over_are_one_sentence(
    uri: str, digits: tuple[str, ...]
) -> None:
    assert "makes classes 0 to 9, got 10" in refusal("sample", *digits, "--label", 10, "--out", "a.npz")
    running = trial_of(uri, RING, **{LAM: 7})
    assert f"and {running.id} of sweep 'ring' is running" in refusal(
        "sample", running.id, "--tracking-uri", uri, "--out", "a.npz"
    )


@pytest.mark.parametrize("out", ["many.npz", "many", "empty"])
def test_an_interrupt_leaves_nothing_that_is_half_written(place: Path, out: str) -> None:
    saved(Images(), place / "drawer.pt")
    (place / "empty").mkdir()
    before = sorted(place.rglob("*"))
    command = [sys.executable, "-m", "explorer", "sample", "drawer.pt", "-n", "1000000000", "--out", out]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    try:
        while not any(file.stat().st_size for file in _drawn(place, before)):
            assert process.poll() is None, process.communicate()
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        told, complaint = process.communicate(timeout=120)
    finally:
        process.kill()
    assert (process.returncode, told) == (130, "")
    assert complaint.splitlines()[-1] == "tradeoff: interrupted"
    assert "Traceback" not in complaint
    assert sorted(place.rglob("*")) == before


def _drawn(place: Path, before: list[Path]) -> list[Path]:
    """Files of samples that are being drawn."""
    return [file for file in place.rglob("*") if file not in before and file.is_file()]
