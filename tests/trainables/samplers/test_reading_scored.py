"""A file of numpy or a folder of images becomes scored samples; what is missing is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.trainables.samplers.given import archive, folder, pictures
from trainables.samplers.reading_scored import read_samples, read_scored

NONE = np.array(0)
"""Left out of the file."""


def test_a_file_has_samples_scores_and_what_else_is_known(tmp_path: Path) -> None:
    path = archive(
        tmp_path / "a.npz", 50, scores=np.ones((50, 1)), labels=np.arange(50), real_scores=np.zeros(3)
    )
    model = read_scored(path)
    (pool,) = model.pools(0)
    assert pool.points.shape == (50, 1)
    assert pool.classes is not None
    assert pool.classes.tolist() == list(range(50))
    assert pool.log_ratio is not None
    assert pool.log_ratio.tolist() == [1.0] * 50
    assert model.real is not None
    assert len(model.real) == 3


@pytest.mark.parametrize("name", ["features", "images"])
def test_samples_may_have_other_names(name: str, tmp_path: Path) -> None:
    given = {name: pictures(50), "samples": NONE}
    path = archive(tmp_path / "a.npz", 50, **given)
    model = read_scored(path, "logit")
    (pool,) = model.pools(0)
    assert model.shape == (3, 4, 4)
    assert (model.shown(pool.points) == pictures(50).transpose(0, 3, 1, 2)).all()


@pytest.mark.parametrize("kind", ["csv", "npy"])
def test_a_folder_has_images_and_their_scores(kind: str, tmp_path: Path) -> None:
    place = folder(tmp_path / "a", 30)
    if kind == "npy":
        np.save(place / "scores.npy", np.arange(30) / 30)
    else:
        rows = [f"{i:04}.png,{i / 30}" for i in range(30)]
        (place / "scores.csv").write_text("name,score\n" + "\n".join(rows))
    model = read_scored(place, "probability")
    (pool,) = model.pools(0)
    assert pool.log_ratio is not None
    torch.testing.assert_close(pool.log_ratio[1:], torch.logit(torch.arange(30.0) / 30)[1:])
    assert pool.points.dtype == torch.uint8
    assert (model.shown(pool.points) == pictures(30).transpose(0, 3, 1, 2)).all()


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"scores": NONE}, "must have an array 'scores' beside 'samples', got samples"),
        ({"samples": NONE}, "must have one array named samples or features or images, got scores"),
        (
            {"images": np.zeros((50, 2, 2))},
            "one array named samples or features or images, got images, samples",
        ),
        ({"scores": np.zeros((50, 2))}, r"must be \(N,\), one number a sample, got shape \(50, 2\)"),
        ({"scores": np.zeros(49)}, "one of its scores for each of 50 samples"),
        ({"scores": np.full(50, np.nan)}, "must be numbers, but 50 of 50 are NaN"),
        ({"labels": np.zeros(50)}, "'labels' of .* must be whole numbers, got float64"),
        ({"labels": np.zeros(9, int)}, "one of its classes for each of 50"),
    ],
    ids=["no scores", "no samples", "two", "pairs", "too few", "missing", "no labels", "few labels"],
)
def test_what_is_missing_is_told(changes: dict[str, Any], told: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=told):
        read_scored(archive(tmp_path / "a.npz", 50, **changes))


def test_a_path_without_anything_is_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"there is no file .*a.npz; give a .npz file or a folder"):
        read_scored(tmp_path / "a.npz")


def test_samples_are_read_without_their_scores(tmp_path: Path) -> None:
    samples, labels = read_samples(archive(tmp_path / "a.npz", 30, labels=np.arange(30)))
    assert (len(samples), samples.shape) == (30, (1,))
    assert labels is not None
    assert labels.tolist() == list(range(30))
    images, none = read_samples(folder(tmp_path / "images", 5))
    assert (len(images), images.shape, none) == (5, (3, 4, 4), None)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="must hold images, but has none"):
        read_samples(tmp_path / "empty")
    with pytest.raises(ValueError, match="must be whole numbers"):
        read_samples(archive(tmp_path / "b.npz", 30, labels=np.ones(30)))
