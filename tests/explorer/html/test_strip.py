"""Means as a picture: on one scale, with words for who points there, and none where there is nothing."""

from __future__ import annotations

import math
import re

from explorer.html.strip import AIR, WIDTH, Mean, strip

NAN = math.nan


def places(html: str) -> list[float]:
    return [float(x) for x in re.findall(r'cx="([\d.]+)"', html)]


def test_values_lie_on_one_scale_from_end_to_end() -> None:
    html = strip([Mean(1.0, NAN, NAN, (), "red", "one"), Mean(3.0, 2.0, 5.0, (2.5, 3.5), "blue", "other")])
    assert places(html) == [AIR, AIR + (WIDTH - 2 * AIR) * 0.375, AIR + (WIDTH - 2 * AIR) * 0.625, WIDTH / 2]
    assert html.count("<line") == 1, "only what has an interval"


def test_equal_values_lie_in_the_middle_and_nothing_draws_nothing() -> None:
    assert places(strip([Mean(2.0, NAN, NAN, (), "red", "")] * 2)) == [WIDTH / 2] * 2
    assert strip([Mean(NAN, NAN, NAN, (), "red", "")]) == ""
    assert strip([]) == ""
    assert "nan" not in strip([Mean(NAN, NAN, NAN, (1.0, NAN), "red", "")])


def test_words_are_text() -> None:
    assert "<script>" not in strip([Mean(1.0, NAN, NAN, (), "red", "<script>")])
