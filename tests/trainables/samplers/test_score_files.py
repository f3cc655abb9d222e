"""Scores of images by their names, or in the order of their names; whatever does not match is named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.trainables.samplers.given import folder
from trainables.samplers.score_files import read_scores


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return folder(tmp_path / "a", 4)


def table(place: Path, *rows: str, head: str = "name,score") -> Path:
    (place / "scores.csv").write_text("\n".join((head, *rows)) + "\n", encoding="utf-8")
    return place


def test_rows_of_a_table_are_the_order(place: Path) -> None:
    found = read_scores(table(place, "0002.png,1e-3", "0000.png,-2", '"0001.png",inf', "", "0003.png,0"))
    assert found[0] == ["0002.png", "0000.png", "0001.png", "0003.png"]
    assert found[1].tolist() == [1e-3, -2.0, float("inf"), 0.0]


def test_an_array_is_in_the_order_of_names(place: Path) -> None:
    np.save(place / "scores.npy", np.arange(4, dtype=np.float32))
    names, scores = read_scores(place)
    assert names == [f"000{i}.png" for i in range(4)]
    assert scores.tolist() == [0, 1, 2, 3]


FOUR = [f"000{i}.png,{i}" for i in range(4)]


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (FOUR[:2], r"has no score of images that are in the folder, 2 of them: 0002.png, 0003.png"),
        ([*FOUR, "b.png,1", "c.png,1"], r"names images that are not in the folder, 2 of them: b.png, c.png"),
        ([*FOUR, "0000.png,1"], "every image once, got '0000.png' twice"),
        (
            [*FOUR[:3], "0003.png,high"],
            "line 5, must be the name of an image and a number, got '0003.png,high'",
        ),
        ([*FOUR[:3], "0003.png"], "line 5, must be the name of an image and a number"),
    ],
    ids=["missing", "unknown", "twice", "no number", "no score"],
)
def test_rows_that_do_not_match_are_named(place: Path, rows: list[str], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        read_scores(table(place, *rows))


def test_files_that_are_no_scores_are_refused(place: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"in either scores.csv .* or scores.npy, got neither"):
        read_scores(place)
    np.save(place / "scores.npy", np.zeros(3))
    with pytest.raises(ValueError, match=r"one number for each of 4 images, .* float64 of shape \(3,\)"):
        read_scores(place)
    (place / "scores.npy").write_bytes(b"none")
    with pytest.raises(ValueError, match="must be an array of numpy, but it is damaged or none"):
        read_scores(place)
    with pytest.raises(ValueError, match="got both"):
        read_scores(table(place, *FOUR))
    (place / "scores.npy").unlink()
    with pytest.raises(ValueError, match="must begin with the line name,score"):
        read_scores(table(place, *FOUR, head="file,value"))
    (place / "scores.csv").write_bytes(b"name,score\n\xff,1\n")
    with pytest.raises(ValueError, match="must be a table of names and scores in UTF-8"):
        read_scores(place)
    (tmp_path / "b").mkdir()
    with pytest.raises(ValueError, match="must hold images with their scores, but has none"):
        read_scores(tmp_path / "b")
