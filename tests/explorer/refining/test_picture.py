"""Samples of a refined model as a picture: points beside the data, images kept and refused."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from explorer.refining.picture import refined_picture
from explorer.refining.refined import Refined
from explorer.refining.subject import Subject
from tests.explorer.refining.known_subject import Pictures, normal_subject, picture_subject, read
from trainables.evaluation.settings import EvaluationConfig
from trainables.refinements.hard_truncation import HardTruncation
from trainables.refinements.obrs import Obrs

SIDE = 320
"""Pixels of a panel of points."""


def opened(found: Refined) -> Image.Image:
    picture = refined_picture(found)
    assert picture is not None
    image = Image.open(io.BytesIO(picture))
    assert image.format == "PNG"
    return image.convert("RGB")


def parts(image: Image.Image, rows: int, columns: int) -> list[np.ndarray]:
    """The panels of a sheet, without their titles and margins."""
    pixels = np.asarray(image).astype(float)
    height, width = pixels.shape[0] / rows, pixels.shape[1] / columns
    return [
        pixels[
            int((i + 0.3) * height) : int((i + 0.9) * height), int((j + 0.1) * width) : int((j + 0.9) * width)
        ]
        for i in range(rows)
        for j in range(columns)
    ]


def blue(panel: np.ndarray) -> np.ndarray:
    return np.argwhere(panel[..., 2] - panel[..., 0] > 100)


@pytest.mark.parametrize("mean", [(1.0,), (1.5, 0.0)])
def test_points_have_a_panel_for_each_budget(mean: tuple[float, ...]) -> None:
    image = opened(read(normal_subject(mean=mean)))
    assert image.size == (3 * SIDE, SIDE)
    plain, _, refined = parts(image, 1, 3)
    assert len(blue(plain)) > 500
    assert blue(refined)[:, 1].mean() > blue(plain)[:, 1].mean() + 5, "moved towards the data"


def test_a_method_without_budgets_shows_the_model_as_it_is() -> None:
    assert opened(read(normal_subject(HardTruncation(budgets=(1,))))).size == (SIDE, SIDE)


@pytest.mark.parametrize("channels", [1, 3])
def test_images_have_panels_of_what_was_kept_and_of_what_was_refused(channels: int) -> None:
    image = opened(read(picture_subject(Pictures(channels))))
    assert image.width > image.height, "three panels in a row"
    real, generated, _, accepted, rejected, empty = (part.mean() for part in parts(image, 2, 3))
    assert empty == 255
    assert rejected < generated < accepted < real + 15, "the data are bright, and what is bright is kept"
    assert accepted - rejected > 30


def test_nothing_was_refused_by_a_model_as_it_is() -> None:
    subject = replace(picture_subject(Pictures()), method=Obrs(budgets=(1,)))
    image = opened(read(subject))
    assert image.width > 1.5 * image.height, "two panels"
    more = opened(read(replace(subject, method=Obrs(budgets=(2,)))))
    assert more.width < 1.2 * more.height, "four: real, generated, accepted, rejected"


def test_images_of_classes_stand_in_rows_of_their_classes() -> None:
    subject = picture_subject(Pictures(classes=3))
    found = read(subject)
    kept = found.readings[-1].kept
    assert kept.classes is not None
    assert set(kept.classes.tolist()) == {0, 1, 2}
    real, generated, _, accepted, rejected, _ = parts(opened(found), 2, 3)
    assert [bool((part[-1] == 255).all()) for part in (real, generated, accepted, rejected)] == [
        False,
        True,  # three rows leave paper below them
        True,
        False,
    ]


@pytest.mark.parametrize(
    "subject",
    [
        normal_subject(mean=(1.0, 0.0, 0.0), evaluation=EvaluationConfig(samples=60)),
        picture_subject(Pictures(channels=2), 60),
        picture_subject(Pictures(channels=4), 60),
    ],
    ids=["points of a space", "two channels", "four channels"],
)
def test_of_other_samples_there_is_no_picture(subject: Subject) -> None:
    assert refined_picture(read(subject)) is None


def test_many_budgets_and_large_images_are_still_a_small_file() -> None:
    subject = replace(picture_subject(Pictures(3)), method=Obrs(budgets=tuple(1 + i / 4 for i in range(12))))
    picture = refined_picture(read(subject))
    assert picture is not None
    assert len(picture) < 200_000
