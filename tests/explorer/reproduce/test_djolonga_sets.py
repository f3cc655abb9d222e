"""Uniform laws have a rectangle whose corner is the share of their supports; categorical laws have Sajjadi's sets."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from explorer.reproduce.djolonga_sets import P_DISC, Q_DISC
from tests.explorer.reproduce.built import built, traces


def _lens() -> float:
    """The area two discs share, in closed form."""
    distance, r, s = math.hypot(P_DISC[0] - Q_DISC[0], P_DISC[1] - Q_DISC[1]), P_DISC[2], Q_DISC[2]
    first = r**2 * math.acos((distance**2 + r**2 - s**2) / (2 * distance * r))
    second = s**2 * math.acos((distance**2 + s**2 - r**2) / (2 * distance * s))
    product = (-distance + r + s) * (distance + r - s) * (distance - r + s) * (distance + r + s)
    return first + second - math.sqrt(product) / 2


def _area(trace) -> float:
    x, y = np.asarray(trace.x), np.asarray(trace.y)
    return float(abs((x[:-1] * y[1:] - x[1:] * y[:-1]).sum()) / 2)


def test_the_corner_is_the_share_of_the_supports() -> None:
    drawn = traces("djolonga-1")
    precision, recall = _lens() / (math.pi * Q_DISC[2] ** 2), _lens() / (math.pi * P_DISC[2] ** 2)
    corner = drawn["(|R∩|/|Q|, |R∩|/|P|)"]
    assert (corner.x[0], corner.y[0]) == pytest.approx((precision, recall), abs=2e-3)
    curve = drawn["pairs attained"]
    assert (max(curve.x), max(curve.y)) == pytest.approx((precision, recall), abs=2e-3)
    told = re.search(r"precision ([\d.]+) and recall ([\d.]+)\.", built("djolonga-1")[0].caption)
    assert told is not None
    assert [float(number) for number in told.groups()] == pytest.approx([precision, recall], abs=2e-3)


def test_the_outlines_enclose_intersection_and_union() -> None:
    drawn = traces("djolonga-1")
    discs = math.pi * (P_DISC[2] ** 2 + Q_DISC[2] ** 2)
    assert _area(drawn["R∩"]) == pytest.approx(_lens(), abs=5e-3)
    assert _area(drawn["R∪"]) == pytest.approx(discs - _lens(), abs=5e-3)


def test_frontiers_of_order_infinity_are_the_sets_of_sajjadi() -> None:
    """Proposition 6, on what is drawn: the same corners, and the same areas below."""
    own = [t for t in built("djolonga-1")[1].figure.data if (t.name or "").startswith("below the exclusive")]
    theirs = [t for t in built("sajjadi-3")[0].figure.data if t.name == "PRD(Q, P)"]
    assert len(own) == len(theirs) == 6
    for mine, other in zip(own, theirs, strict=True):
        assert (max(mine.x), max(mine.y)) == pytest.approx((max(other.x), max(other.y)), abs=1e-4)
        areas = [np.trapezoid(np.asarray(trace.y), np.asarray(trace.x)) for trace in (mine, other)]
        assert areas[0] == pytest.approx(areas[1], abs=5e-3)
