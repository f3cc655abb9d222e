"""Names of runs can be typed, and are of a length that lists show."""

from __future__ import annotations

from explorer.portrait.names import LONGEST, searchable
from explorer.results.naming import Naming


def test_what_varies_is_named_in_what_a_keyboard_can_type() -> None:
    points = [
        {"objective.lam": 0.5, "objective.name": "kl", "seed": 1},
        {"objective.lam": 2, "objective.name": "pr", "seed": 1},
    ]
    name = searchable(Naming.of(points))
    assert [name(point) for point in points] == ["lam 0.5, kl", "lam 2, pr"]
    assert searchable(Naming.of(points[:1]))(points[0]) == ""


def test_a_name_of_many_parameters_is_cut() -> None:
    points = [{f"parameter{i}": sign * i for i in range(1, 60)} for sign in (1, -1)]
    assert len(searchable(Naming.of(points))(points[0])) == LONGEST
