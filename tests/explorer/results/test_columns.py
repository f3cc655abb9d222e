"""The table as arrays says what the table itself says, trial by trial."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from explorer.figures.columns import colour_names, direction_of, numeric_names
from explorer.goals import Goal, minimised
from explorer.results.catalogue import BASE
from explorer.results.columns import Columns
from explorer.results.store import ResultStore
from explorer.results.table import Scalar, Status, Trial, TrialTable
from explorer.store.schema import PLAIN, At

K2, K4, H3 = At("obrs", 2.0), At("obrs", 4.0), At("halving", 3.0)
GOALS = (Goal("precision", "max"), Goal("fid", "min"))


def trial(
    name: str, params: dict[str, Scalar], status: Status = "finished", **readings: dict[str, float]
) -> Trial:
    """Readings by a short name of theirs: k1, k2, k4 or h3."""
    ats = {"k1": PLAIN, "k2": K2, "k4": K4, "h3": H3}
    return Trial(name, f"run-{name}", status, params, {ats[key]: read for key, read in readings.items()})


TABLE = TrialTable(
    "t",
    GOALS,
    (
        trial(
            "a",
            {"objective.name": "pr", "objective.lam": 10, "seed": 0, BASE: "x", "deep": True},
            k1={"precision": 0.5, "fid": 3.0, "critic_loss": 1.0},
            k2={"precision": 0.7, "fid": 4.0},
        ),
        trial(
            "b",
            {"objective.name": "pr", "objective.lam": 10, "seed": 1, BASE: "y", "deep": True},
            k1={"precision": 0.6, "fid": math.nan},
            k4={"precision": 0.8, "fid": 5.0, "recall": 0.2},
            h3={"precision": 0.1},
        ),
        trial(
            "c",
            {"objective.name": "pr", "objective.lam": 2.5, "seed": 0, "note": None},
            k1={"precision": math.inf, "recall": 0.4},
        ),
        trial("d", {"objective.name": "hinge", "seed": 1, "note": "=1+1"}, status="failed"),
        trial("e", {"objective.name": "hinge", "objective.lam": "odd", "deep": False}, status="running"),
    ),
)
COLUMNS = Columns(TABLE)
READINGS = (PLAIN, H3, K2, K4)


@pytest.fixture(scope="module")
def stored(uri: str) -> Columns:
    """A table as it comes out of a store, with trials in every state."""
    return Columns(ResultStore(uri).table("demo"))


def same(column: np.ndarray, values: list[float | None]) -> None:
    """Equal but for what is absent or not finite, which a column has as NaN."""
    expected = [v if v is not None and math.isfinite(v) else math.nan for v in values]
    np.testing.assert_array_equal(column, np.array(expected, dtype=np.float64))


@pytest.mark.parametrize("at", [*READINGS, At("obrs", 1.0), At("obrs", 9.0)])
def test_metrics_are_those_of_each_trial_at_the_reading(at: At) -> None:
    assert COLUMNS.metric_names(at) == TABLE.metric_names(at)
    for name in ("precision", "fid", "recall", "critic_loss", "nothing"):
        same(COLUMNS.metric(name, at), [t.at(at).get(name) for t in TABLE])
    np.testing.assert_array_equal(
        COLUMNS.goals(at),
        np.where(np.isinf(found := minimised(GOALS, (t.at(at) for t in TABLE))), np.nan, found),
    )


def test_a_stored_table_has_the_same_columns(stored: Columns) -> None:
    table = stored.table
    assert stored.ids == tuple(t.id for t in table)
    assert stored.statuses.tolist() == [t.status for t in table]
    assert stored.rows(stored.finished) == list(table.finished())
    assert set(stored.statuses.tolist()) >= {"finished", "failed"}
    assert stored.varying == tuple(table.varying())
    for at in stored.readings:
        for name in stored.metric_names(at):
            same(stored.metric(name, at), [t.at(at).get(name) for t in table])
    for path in stored.paths:
        assert list(stored.param(path)) == [t.params.get(path) for t in table]
    assert [stored.ids[stored.row_of[t.id]] for t in table] == [t.id for t in table]


def test_rows_are_found_by_identity() -> None:
    assert [COLUMNS.row_of[t.id] for t in TABLE] == list(range(len(TABLE)))
    assert (len(COLUMNS), COLUMNS.trials) == (len(TABLE), TABLE.trials)
    assert COLUMNS.seeds.tolist() == [0, 1, 0, 1, -1]
    assert COLUMNS.rows(COLUMNS.seeds == 1) == [TABLE.trials[1], TABLE.trials[3]]


def test_readings_methods_and_budgets_are_the_tables() -> None:
    assert COLUMNS.readings == READINGS
    assert COLUMNS.methods == tuple(TABLE.methods())
    for method in (None, "obrs", "halving", "none", "unknown"):
        assert COLUMNS.budgets(method) == tuple(TABLE.budgets(method))
    nothing = Columns(replace(TABLE, trials=()))
    assert (nothing.readings, nothing.methods, nothing.budgets()) == ((PLAIN,), (), (1.0,))


def test_parameters_are_numbers_where_all_of_them_are() -> None:
    assert COLUMNS.param("objective.lam") == (10, 10, 2.5, None, "odd")
    assert [COLUMNS.is_numeric(path) for path in ("seed", "objective.lam", "deep", "note", "nothing")] == [
        True, False, False, False, False
    ]  # fmt: skip
    same(COLUMNS.numbers("objective.lam"), [10, 10, 2.5, None, None])
    same(COLUMNS.numbers("deep"), [None] * 5)
    assert "objective.lam" in COLUMNS.paths
    assert "precision" not in COLUMNS.paths


def test_a_metric_wins_over_a_parameter_of_its_name_where_it_was_measured() -> None:
    one = trial("a", {"fid": 7.0}, k1={"fid": 1.0}, k2={"precision": 1.0})
    both = Columns(TrialTable("t", GOALS, (one, trial("b", {"fid": 8.0}, k1={}))))
    same(both.numbers("fid"), [1.0, None])
    same(both.numbers("fid", K2), [7.0, 8.0])


def test_words_are_in_the_order_of_their_numbers_and_then_of_letters() -> None:
    words = COLUMNS.words("objective.lam")
    assert words.words == ("2.5", "10", "odd")
    assert words.codes.tolist() == [1, 1, 0, -1, 2]
    deep = COLUMNS.words("deep")
    assert [deep.words[code] if code >= 0 else None for code in deep.codes] == [
        "yes",
        "yes",
        None,
        None,
        "no",
    ]
    assert COLUMNS.words("nothing").words == ()


def test_configurations_differ_in_more_than_the_seed_and_its_base() -> None:
    points = [t.point() for t in TABLE]
    same_point = [[a == b for b in points] for a in points]
    codes = COLUMNS.configurations
    assert (codes[:, None] == codes).tolist() == same_point
    assert codes.tolist() == [0, 0, 1, 2, 3]
    assert COLUMNS.first_rows.tolist() == [0, 2, 3, 4]


def test_a_truth_is_no_number_and_odd_seeds_are_seeds() -> None:
    values: list[Scalar] = [True, 1, 1.0, False, 0, "True"]
    columns = Columns(TrialTable("t", GOALS, tuple(trial(str(i), {"a": v}) for i, v in enumerate(values))))
    assert columns.configurations.tolist() == [0, 1, 1, 2, 3, 4]
    assert columns.words("a").words == ("0", "1", "True", "no", "yes")
    odd: list[Scalar] = [2**64 - 1, float(2**64), -1, 3, None, "x"]
    seeds = Columns(
        TrialTable("t", GOALS, tuple(trial(str(i), {"seed": s}) for i, s in enumerate(odd)))
    ).seeds
    assert (seeds >= 0).tolist() == [True, True, True, True, False, False]
    assert seeds[3] == 3


def test_names_tell_trials_apart_and_those_of_configurations_leave_out_the_seed() -> None:
    rows = [
        trial(f"{lam}-{seed}", {"objective.lam": lam, "seed": seed}, k1={})
        for lam in (0.1, 10.0)
        for seed in (0, 1)
    ]
    columns = Columns(TrialTable("t", GOALS, tuple(rows)))
    assert columns.names == ("λ 0.1 · seed 0", "λ 0.1 · seed 1", "λ 10 · seed 0", "λ 10 · seed 1")
    assert columns.configuration_names == ("λ 0.1", "λ 10")
    assert len(set(COLUMNS.names)) == len(TABLE)
    one = Columns(TrialTable("t", GOALS, (rows[0],)))
    assert (one.names, one.configuration_names) == (("0.1-0",), ("the configuration",))


def test_axes_and_colours_are_those_of_the_figures() -> None:
    for at in READINGS:
        assert COLUMNS.axis_names(at) == numeric_names(TABLE, at)
        assert COLUMNS.colour_names(at) == colour_names(TABLE, at)
    for name in ("precision", "fid", "recall", "objective.lam", "nothing"):
        assert COLUMNS.direction(name) == direction_of(TABLE, name)


def test_other_objectives_are_another_table_of_the_same_trials() -> None:
    other = (Goal("recall", "max"),)
    under = COLUMNS.under(other)
    assert (under.table.goals, under.trials) == (other, TABLE.trials)
    same(-under.goals()[:, 0], [t.metrics.get("recall") for t in TABLE])
    assert COLUMNS.under(other) is under
    assert COLUMNS.under(()) is COLUMNS.under(GOALS) is COLUMNS
    assert under.direction("fid") == TABLE.catalogue.direction("fid")


def test_a_column_is_made_once_and_nobody_changes_it() -> None:
    column = COLUMNS.metric("precision", K2)
    assert COLUMNS.metric("precision", K2) is column
    with pytest.raises(ValueError, match="read-only"):
        column[0] = 9.0
    made: list[int] = []
    for _ in range(2):
        assert COLUMNS.kept("once", lambda: made.append(1)) is None
    assert made == [1]


def test_of_keys_without_number_the_last_are_remembered() -> None:
    columns = Columns(TABLE)
    made: list[str] = []

    def ask(key: str) -> str:
        return columns.remembered(key, lambda: made.append(key) or key, most=2)

    assert [ask(key) for key in "abacab"] == list("abacab")
    assert made == ["a", "b", "c", "b"], "b was the one not asked for longest when c came"


def test_what_is_remembered_may_be_dropped_while_it_is_made() -> None:
    """Another session may ask for other things meanwhile."""
    columns = Columns(TABLE)

    def slow() -> str:
        for key in "xyz":
            columns.remembered(key, lambda: "other", most=1)
        return "mine"

    assert columns.remembered("a", slow, most=1) == "mine"


def test_a_table_without_trials_has_columns_without_rows() -> None:
    nothing = Columns(replace(TABLE, trials=()))
    assert nothing.goals().shape == (0, 2)
    assert nothing.configurations.shape == nothing.seeds.shape == nothing.metric("fid").shape == (0,)
    assert (nothing.names, nothing.configuration_names, nothing.axis_names()) == ((), (), [])
