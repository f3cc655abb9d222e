"""Around the points: a staircase no point lies beyond, what seeds attain, lines of equal F, paths as K grows."""

from __future__ import annotations

import numpy as np

from explorer.figures.chart import Area, Line, Paths, Text
from explorer.figures.front_layers import (
    MOST_PATHS,
    attained_layers,
    best_layer,
    equal_f_layers,
    label_layer,
    path_lines,
    paths_layer,
)
from explorer.figures.front_marks import Marks, marks_of
from explorer.figures.scales import axis_of
from explorer.results.columns import Columns
from explorer.store.schema import PLAIN
from tests.explorer.figures.clouds import TWO, cloud_table

NAMES = ("recall", "precision")


def made(configurations: int = 6, seeds: int = 3) -> tuple[Columns, Marks, np.ndarray]:
    columns = Columns(cloud_table(configurations, seeds))
    rows = np.ones(len(columns), dtype=np.bool_)
    return columns, marks_of(columns, rows, *NAMES, (PLAIN,), seeds=False), rows


def test_no_point_lies_beyond_the_staircase() -> None:
    columns, marks, _ = made()
    (line,) = best_layer(marks, axis_of(columns, "recall"), axis_of(columns, "precision"))
    assert isinstance(line, Line)
    for x, y in marks.place:
        assert any(u >= x and v >= y for u, v in zip(line.x, line.y, strict=True))
    assert best_layer(marks, axis_of(columns, "objective.lam"), axis_of(columns, "precision")) == []


def test_what_seeds_attain_needs_two_of_them_and_is_ordered() -> None:
    columns, _, rows = made()
    axes = axis_of(columns, "recall"), axis_of(columns, "precision")
    area, half = attained_layers(columns, rows, NAMES, axes, PLAIN)
    assert isinstance(area, Area)
    assert isinstance(half, Line)
    place = np.stack([columns.metric("recall"), columns.metric("precision")], axis=1)
    # Every vertex of the middle line is reached by at least half the seeds, and hardly better by none of them.
    for u, v in zip(half.x[1:-1], half.y[1:-1], strict=True):
        reached = [
            bool(((place[columns.seeds == s] >= [u - 1e-12, v - 1e-12]).all(axis=1)).any()) for s in range(3)
        ]
        assert sum(reached) >= 1.5
    assert attained_layers(columns, columns.seeds == 0, NAMES, axes, PLAIN) == []


def test_lines_of_equal_f_have_that_f_and_belong_to_precision_and_recall() -> None:
    found = equal_f_layers(NAMES)
    lines, texts = [f for f in found if isinstance(f, Line)], [f for f in found if isinstance(f, Text)]
    for line, text in zip(lines, texts, strict=True):
        f = 2 * line.x * line.y / (line.x + line.y)
        assert np.allclose(f, float(text.text[0].removeprefix("F ")))
    assert equal_f_layers(("recall", "fid")) == []


def test_paths_go_from_reading_to_reading() -> None:
    _, marks, _ = made()
    (paths,) = paths_layer(marks, NAMES, np.arange(len(marks)), (PLAIN, TWO))
    assert isinstance(paths, Paths)
    assert paths.x.shape == (len(marks), 2)
    assert np.allclose(paths.x[:, 0], marks.place[:, 0])
    assert (paths.y[:, 1] > paths.y[:, 0]).all(), "a budget sharpens"
    assert paths_layer(marks, NAMES, np.arange(len(marks)), (PLAIN,)) == []
    assert paths_layer(marks, ("objective.lam", "precision"), np.arange(len(marks)), (PLAIN, TWO)) == []


def test_lines_are_drawn_for_the_front_alone_and_not_for_too_many() -> None:
    _, marks, _ = made(configurations=80, seeds=2)
    (line,) = path_lines(marks, NAMES, (PLAIN, TWO))
    assert isinstance(line, Line)
    assert int(np.isnan(line.x).sum()) == min(int(marks.front.sum()), MOST_PATHS)


def test_a_word_marks_its_point() -> None:
    _, marks, _ = made()
    (ring,) = label_layer(marks, 2, "Knee", "contrast")
    assert (ring.x[0], ring.y[0]) == tuple(marks.place[2])
    assert ring.name == "Knee"
