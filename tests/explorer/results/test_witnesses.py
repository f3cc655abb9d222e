"""Why precision or recall is low, in sentences; whatever the artifact holds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from explorer.results.witnesses import Witnesses
from tests.explorer.results.test_points import ANYTHING

SIDE = {"share": 0.12, "points": [[1.0, 2.0], [3.0, 4.0]], "excess": [0.5, 0.4]}


def made(**changes: object) -> Witnesses:
    raw = {"outside": SIDE, "missed": {"share": 0.3, "points": []}, "features": "identity", "k": 3}
    found = Witnesses.from_artifact({**raw, **changes})
    assert found is not None
    return found


def test_both_sides_are_read_and_told() -> None:
    found = made()
    assert found.outside.points.tolist() == SIDE["points"]
    outside, missed = found.sentences()
    assert outside == (
        "12 % of its samples lie outside every real neighbourhood, which is what precision lacks; "
        "at K = 1 crosses mark the worst of them."
    )
    assert missed == (
        "30 % of the real samples lie outside every generated neighbourhood, which is what recall lacks."
    )
    assert found.measured() == (
        "A neighbourhood reaches to the 3rd nearest sample of its own kind, in the space of the data."
    )
    assert made(features="inception").measured().endswith("in the features of inception.")


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0, "None of its samples lies"),
        (0.004, "0.4 %"),
        (0.9991, "99.91 %"),
        (1, "100 %"),
        (2, "is not known"),
    ],
)
def test_shares_are_told_as_exactly_as_they_matter(share: float, words: str) -> None:
    assert words in made(outside={"share": share}).sentences()[0]


def test_points_of_another_space_are_not_drawn() -> None:
    side = made().outside
    assert len(side.drawn(2)) == 2
    assert side.drawn(1).shape == (0, 1)
    assert made(outside={"share": 0.5}).outside.drawn(2).shape == (0, 2)


def test_what_is_not_told_is_left_out() -> None:
    found = made(features=7, k="x")
    assert (found.features, found.k, found.measured()) == ("", 0, "")
    assert made(k=11).measured().startswith("A neighbourhood reaches to the 11th")


@pytest.mark.parametrize("raw", [None, [], {}, {"outside": 3, "missed": "x"}, {"outside": {"share": "0.1"}}])
def test_what_tells_of_neither_side_is_nothing(raw: object) -> None:
    assert Witnesses.from_artifact(raw) is None  # type: ignore[arg-type]


@given(ANYTHING, ANYTHING, ANYTHING)
def test_whatever_stands_there_is_read_without_an_error(share: object, points: object, other: object) -> None:
    found = Witnesses.from_artifact(
        {"outside": {"share": share, "points": points}, "missed": other, "k": other}
    )
    if found is not None:
        assert all(found.sentences())
        assert np.isnan(found.outside.share) or 0 <= found.outside.share <= 1
