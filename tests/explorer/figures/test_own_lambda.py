"""The comparison at own λ as squares: the best of a column is marked, and the diagonal is where theory wants it."""

from __future__ import annotations

from dataclasses import replace

from explorer.figures import own_lambda_figure
from explorer.figures.own_lambda import PANELS
from explorer.goals import Goal
from explorer.results.audit import audit_lambda
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN
from tests.explorer.results.peaked import peaked

LAMS = (0.1, 1.0, 10.0)


def table(shift: float = 1.0, settings: int = 1) -> TrialTable:
    trials = tuple(
        Trial(
            f"{lam}-{seed}-{bound}",
            "run",
            "finished",
            {"objective.lam": lam, "seed": seed, "constraint.lipschitz": bound},
            {PLAIN: {"precision": lam, "recall": -lam}},
            alphas=peaked(shift * lam, seed),
        )
        for bound in range(settings)
        for lam in LAMS
        for seed in range(2)
    )
    return TrialTable("t", (Goal("precision", "max"),), trials)


def test_the_best_of_every_column_is_marked() -> None:
    figure = own_lambda_figure(audit_lambda(table()))
    assert figure is not None
    (squares,) = figure.data
    assert [row.index(max(row)) for row in squares.z] == [0, 1, 2]
    assert [[text.startswith("◆") for text in row] for row in squares.text] == [
        [row == column for column in range(3)] for row in range(3)
    ]
    assert list(squares.x) == list(squares.y) == ["0.1", "1", "10"]
    assert figure.layout.title.text == "Models are best at the λ they were trained at for 3 of 3 values"


def test_a_shift_is_seen_off_the_diagonal() -> None:
    figure = own_lambda_figure(audit_lambda(table(shift=10.0)))
    assert figure is not None
    best = [max(range(3), key=lambda row, c=column: figure.data[0].z[row][c]) for column in range(3)]
    assert best == [0, 0, 1]
    assert "for 1 of 3 values" in figure.layout.title.text


def test_settings_have_panels_of_one_scale_as_far_as_they_fit() -> None:
    figure = own_lambda_figure(audit_lambda(table(settings=PANELS + 1)))
    assert figure is not None
    assert len(figure.data) == PANELS
    assert len({(squares.zmin, squares.zmax) for squares in figure.data}) == 1
    assert [squares.showscale for squares in figure.data] == [True] + [False] * (PANELS - 1)
    assert figure.layout.annotations[0].text == "L 0"


def test_without_curves_there_is_no_figure() -> None:
    bare = table()
    bare = replace(bare, trials=tuple(replace(trial, alphas=()) for trial in bare))
    assert own_lambda_figure(audit_lambda(bare)) is None
