"""Front, audit, figure and report from Python are those of the commands and the app."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import explorer.api as te
from explorer.pareto import rank
from explorer.results.audit import audit_lambda
from explorer.store.schema import At


def test_a_front_is_read_at_its_budget(found: te.Results) -> None:
    plain, refined = te.front(found), te.front(found, budget=2)
    assert plain.ranks == rank(found.table).ranks
    assert refined.ranks == rank(found.table, At("obrs", 2.0)).ranks
    assert plain.hypervolume != refined.hypervolume
    assert "at K = 2" in repr(refined)


def test_other_objectives_make_another_front(found: te.Results) -> None:
    best = te.front(found, {"fid": "min"})
    fids = {trial.id: trial.metrics["fid"] for trial in found if trial.status == "finished"}
    assert [trial.id for trial in best] == [min(fids, key=lambda name: fids[name])]
    assert list(best.reference) == ["fid"]


@pytest.mark.parametrize(
    ("objectives", "sentence"),
    [
        (
            {"fidd": "min"},
            "an objective must be something the sweep measured, got 'fidd'; did you mean 'fid'?",
        ),
        ({"fid": "down"}, "objective 'fid' must be 'max' or 'min', got 'down'"),
        ({}, "a sweep needs at least one objective"),
    ],
)
def test_objectives_that_make_no_sense_are_told(
    found: te.Results, objectives: dict[str, str], sentence: str
) -> None:
    with pytest.raises(te.UserError) as error:
        te.front(found, objectives)
    assert str(error.value).startswith(sentence)


def test_readings_that_are_not_there_are_told(found: te.Results, two_methods: te.Results) -> None:
    with pytest.raises(
        te.UserError, match=r"the budget must be one at which sweep 'made' was read \(1, .*got 7"
    ):
        te.front(found, budget=7)
    with pytest.raises(te.UserError, match=r"the method must be one through which .*, got 'nothing'"):
        te.front(two_methods, method="nothing")


def test_the_audit_is_that_of_the_table(found: te.Results) -> None:
    assert te.audit(found) == audit_lambda(found.table)
    assert te.audit(found, budget=2).where == "K = 2"


def test_a_figure_shows_the_columns_asked_for(found: te.Results) -> None:
    drawn = te.figure(found)
    assert (drawn.layout.xaxis.title.text, drawn.layout.yaxis.title.text) == tuple(
        axis.title.text for axis in (te.figure(te.front(found)).layout[a] for a in ("xaxis", "yaxis"))
    )
    other = te.figure(te.front(found, budget=2), x="objective.lam", y="fid", colour="recall")
    assert "λ" in other.layout.xaxis.title.text
    assert "FID" in other.layout.yaxis.title.text
    with pytest.raises(
        te.UserError, match=r"an axis must be something .* got 'recal'; did you mean 'recall'"
    ):
        te.figure(found, x="recal")
    with pytest.raises(te.UserError, match="a colour must be something"):
        te.figure(found, colour="nothing")


def test_a_report_is_one_file(found: te.Results, tmp_path: Path) -> None:
    path = te.report(found, str(tmp_path / "made.html"))
    assert path.read_text(encoding="utf-8").lower().startswith("<!doctype html")
    with pytest.raises(te.UserError, match="the report must go to a writable file"):
        te.report(found, tmp_path / "no" / "made.html")


@pytest.mark.parametrize("wrong", [None, 5, [], {}, b"made", "made", object(), np.ones(2)])
def test_what_are_no_results_is_told(wrong: Any, tmp_path: Path) -> None:
    for use in (te.front, te.audit, lambda found: te.report(found, tmp_path / "made.html")):
        with pytest.raises(
            te.UserError, match=r"the results of a sweep must be what te.results returns, got "
        ):
            use(wrong)
    with pytest.raises(te.UserError, match=r"a figure shows what te.results or te.front returns, got "):
        te.figure(wrong)
    assert not (tmp_path / "made.html").exists()


@pytest.mark.parametrize("wrong", [5, [], b"x", object(), np.ones(2)])
def test_arguments_of_another_kind_are_told(wrong: Any, found: te.Results, tmp_path: Path) -> None:
    for use in (te.front, te.audit, lambda found, **at: te.report(found, tmp_path / "made.html", **at)):
        with pytest.raises(te.UserError, match="the method must be text, got "):
            use(found, method=wrong)
        for budget in (None, "2", [2], np.ones(2), 10**5000):
            with pytest.raises(te.UserError, match="the budget must be a number, got "):
                use(found, budget=budget)
    for name in ("x", "y", "colour"):
        with pytest.raises(te.UserError, match=f"{name} must be text, got "):
            te.figure(found, **{name: wrong})
    for name in ("paths", "dominated"):
        with pytest.raises(te.UserError, match=f"{name} must be True or False, got "):
            te.figure(found, **{name: wrong})
    for path in (wrong, None, "a\0b"):
        with pytest.raises(te.UserError, match="the report's file must be a path"):
            te.report(found, path)
    for objectives in (wrong, "fid", {5: "min"}):
        with pytest.raises(te.UserError, match="objectives must be a mapping such as "):
            te.front(found, objectives)


def test_budgets_are_numbers_of_any_library(found: te.Results) -> None:
    assert te.front(found, budget=np.float32(2)).at == te.front(found, budget=2).at
