"""One outlier in each set: every printed number comes out, and the drawn balls and counts are those behind it."""

from __future__ import annotations

import re

import numpy as np

from tests.explorer.reproduce.built import built, traces


def test_every_printed_number_comes_out():
    numbers = built("thesis-3.12")[0].numbers
    assert {n.what: n.printed for n in numbers} == {
        "precision": "8/9",
        "recall": "7/9",
        "density": "4/9",
        "coverage": "3/9",
        "real balls around each fake": "0, 1, 1, 1, 1, 1, 2, 2, 3",
    }
    assert all(n.computed == n.printed for n in numbers)


def _balls(axis: str) -> list[tuple[float, float, float]]:
    """(x, y, r) of the drawn discs of a pane, read from the first and the middle point of each ring."""
    found = []
    for shape in built("thesis-3.12")[0].figure.layout.shapes:
        if shape.xref == axis:
            for ring in shape.path.split("Z")[:-1]:
                at = np.array([float(n) for n in re.findall(r"-?\d+\.\d+", ring)]).reshape(-1, 2)
                right, left = at[0], at[6]
                found.append((*((right + left) / 2), (right - left)[0] / 2))
    return found


def test_the_counts_in_the_picture_are_those_of_the_drawn_balls():
    drawn = traces("thesis-3.12")["real balls around a fake"]
    discs = _balls("x")
    assert len(discs) == 9
    for x, y, text in zip(drawn.x, drawn.y, drawn.text, strict=True):
        assert sum(np.hypot(x - a, y - b) <= r for a, b, r in discs) == int(text)


def test_recall_is_read_in_the_other_pane():
    real = traces("thesis-3.12")["samples of P"]
    discs = _balls("x2")
    held = [
        any(np.hypot(x - a, y - b) <= r for a, b, r in discs) for x, y in zip(real.x, real.y, strict=True)
    ]
    assert sum(held) == 7


def test_the_outlier_holds_what_its_caption_says():
    fake = traces("thesis-3.12")["samples of P̂"]
    a, b, r = max(_balls("x"), key=lambda disc: disc[2])
    held = sum(np.hypot(x - a, y - b) <= r for x, y in zip(fake.x, fake.y, strict=True))
    assert f"outlier of P alone holds {held} of them" in built("thesis-3.12")[0].caption
