"""The data have full marks, and what is far from them has not."""

from __future__ import annotations

import pytest
import torch

from trainables.datasets.digits import Digits
from trainables.datasets.gaussians25 import Gaussians25
from trainables.studies.set_measures import IMAGE_COLUMNS, PLANE_COLUMNS, image_measure, plane_measure


def test_the_law_itself_has_full_marks_in_the_plane() -> None:
    source = Gaussians25().source()
    measure = plane_measure(source, 4000, 1000)
    found = measure(source.reference(8000).x[4000:])
    assert set(found) >= set(PLANE_COLUMNS)
    assert found["modes_held"] == found["modes_hit"] == 1.0
    assert found["spread"] == pytest.approx(1.0, abs=0.03)
    assert min(found["precision"], found["recall"], found["quality"]) > 0.9
    halved = measure(source.reference(8000).x[4000:] / 2)
    assert halved["spread"] == pytest.approx(0.5, abs=0.02)
    assert halved["js"] > found["js"] + 0.2


def test_images_of_the_data_have_full_marks_and_inverted_ones_do_not() -> None:
    dataset = Digits(size=16)
    source = dataset.source()
    measure = image_measure(dataset, source, 200, torch.device("cpu"))
    real = source.reference(200).x
    found, other = measure(real), measure(-real)
    assert tuple(found) == IMAGE_COLUMNS
    assert found["fid"] == pytest.approx(0, abs=1e-3)
    assert found["precision"] == found["recall"] == found["coverage"] == 1
    assert other["fid"] > 10
    assert other["precision"] < 0.5
