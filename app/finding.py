"""Quick ways to a good point of the front: sharpest, most diverse, the knee, the reader's own preference."""

from __future__ import annotations

import numpy as np

from explorer.figures.front_marks import Marks
from explorer.pareto.choice import knee, preferred, weights

__all__ = ["found_by", "quick_picks"]

QUALITY, DIVERSITY = "precision", "recall"


def quick_picks(marks: Marks) -> dict[str, int]:
    """Points of the front worth a first look by what they are best at, as indices of the marks. O(n)."""
    front = np.flatnonzero(marks.front)
    if not len(front):
        return {}
    goals = marks.columns.table.goals
    words = {QUALITY: "Sharpest", DIVERSITY: "Most diverse"}
    picks = {}
    for j, goal in enumerate(goals):
        word = words.get(goal.metric) or (
            f"{'Lowest' if goal.direction == 'min' else 'Highest'} {marks.columns.table.title(goal.metric)}"
        )
        picks[word] = int(front[np.argmin(marks.goals[front, j])])
    if len(front) > 2 and len(goals) > 1:
        picks["Knee"] = int(front[knee(marks.goals[front])])
    return picks


def found_by(marks: Marks, preference: float | None) -> int | None:
    """The point of the front that suits a preference from quality (0) to diversity (1); None where there is no such.

    Where a sweep strives for precision and recall these two are weighed, the other objectives not at all; else its
    first two.
    """
    front = np.flatnonzero(marks.front)
    goals = [goal.metric for goal in marks.columns.table.goals]
    if preference is None or not len(front) or len(goals) < 2:
        return None
    pair = (QUALITY, DIVERSITY) if {QUALITY, DIVERSITY} <= {*goals} else (goals[0], goals[1])
    plane = marks.goals[front][:, [goals.index(name) for name in pair]]
    return int(front[preferred(plane, weights(preference))])
