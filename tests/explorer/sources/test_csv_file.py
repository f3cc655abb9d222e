"""CSV files: ours gives the trials back, others are read by their headings, and hostile ones are text."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.errors import UserError
from explorer.goals import parse_goals
from explorer.pareto.csv import trials_csv
from explorer.results.table import Trial, TrialTable
from explorer.sources import csv_file
from explorer.sources.csv_file import CsvSource, csv_table
from explorer.store.schema import PLAIN, Scalar
from tests.app.made_sweep import (
    HOSTILE_SWEEP,
    MADE,
    OBRS,
    TWO_METHODS,
    configs,
    hostile_trials,
    made,
    read_table,
    write_sweep,
)
from tests.stores import empty_store


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> str:
    uri = empty_store(tmp_path_factory.mktemp("csv"))
    few = configs((0.1, 1.0), 1)
    write_sweep(uri, MADE, [*(made(one) for one in few), made(configs((7.0,), 1)[0], failing="<b>NaN</b>")])
    write_sweep(uri, TWO_METHODS, [made(one, (*OBRS, ("other", 2.0))) for one in few])
    write_sweep(uri, HOSTILE_SWEEP, hostile_trials())
    return uri


@pytest.mark.parametrize("sweep", [MADE, TWO_METHODS, HOSTILE_SWEEP])
def test_our_own_layout_gives_the_trials_back(stored: str, sweep: str) -> None:
    table = read_table(stored, sweep)
    found = csv_table(sweep, trials_csv(table))
    assert found.faults == ()
    for one, trial in zip(found, table, strict=True):
        assert (one.id, one.status) == (trial.id, trial.status)
        assert {at: dict(values) for at, values in one.readings.items()} == trial.readings
        assert one.params == {path: value for path, value in trial.params.items() if value is not None}
    assert {goal.metric for goal in found.goals} == {"precision", "recall", "fid"}
    failed = [trial for trial in table if trial.status == "failed"]
    assert [trial.reason for trial in found if trial.status == "failed"] == [trial.reason for trial in failed]


def test_the_headings_of_others_say_what_is_a_metric() -> None:
    text = "lr,metric:speed,fid,note,values_0,seed\n0.1,3,2.5,=1+1,7,0\n0.2,,1.5,<b>,nan,1\n"
    table = csv_table("t", text)
    first, second = table
    assert first.params == {"lr": 0.1, "note": "=1+1", "seed": 0}
    assert first.metrics == {"speed": 3.0, "fid": 2.5, "values_0": 7.0}
    assert second.metrics == {"fid": 1.5}
    assert (first.id, first.status, first.seed) == ("row 1", "finished", 0)
    assert table.goals[0].metric == "fid"


def test_where_no_heading_is_known_decimal_columns_are_metrics() -> None:
    table = csv_table("t", "a;b;c;name\n1;0.5;1e-3;x\n2;0.25;2;y\n")
    assert table.trials[0].params == {"a": 1, "name": "x"}
    assert table.trials[0].metrics == {"b": 0.5, "c": 0.001}
    assert table.budgets() == [1.0]


def test_names_that_are_not_one_and_rows_that_are_ragged() -> None:
    table = csv_table("t", "id,status,x\na,COMPLETE,0.5\na,Pruned,0.6,9\nb\n\n")
    assert [trial.id for trial in table] == ["a", "a (2)", "b"]
    assert [trial.status for trial in table] == ["finished", "killed", "finished"]
    assert table.complaint is not None
    assert "2 rows" in table.complaint


@pytest.mark.parametrize(
    "text", ["", "\n\n", ",,,\n1,2,3\n", ",".join(f"c{i}" for i in range(3000)), 'a,b\n"' + "x" * 200_000]
)
def test_what_is_no_table_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="a CSV file must"):
        csv_table("t", text)


def test_hostile_cells_are_text() -> None:
    table = csv_table("t", "note,fid\n\x1b[31m\u202e,0.5\n<script>,1e999\n,\n")
    assert table.trials[0].params == {"note": "�[31m�"}
    assert table.trials[1].readings == {PLAIN: {}}


def test_limits_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "x.csv"
    file.write_text("a,fid\n" + "1,2\n" * 20)
    assert CsvSource("x", file).sweeps()["x"].trials == 20
    monkeypatch.setattr(csv_file, "MOST_ROWS", 19)
    with pytest.raises(UserError, match="at most 19 rows"):
        CsvSource("x", file).sweeps()
    monkeypatch.setattr(csv_file, "LARGEST", 5)
    with pytest.raises(UserError, match="at most 5 bytes"):
        CsvSource("x", file).sweeps()
    file.unlink()
    with pytest.raises(UserError, match="cannot be read"):
        CsvSource("x", file).sweeps()


def test_our_own_layout_keeps_metrics_that_nobody_knows_and_parameters_called_like_one() -> None:
    params: dict[str, Scalar] = {"lr": 0.1, "precision": "fp16", "values_0": 3}
    for metrics in ({"accuracy": 0.9, "latency": 3.0}, {"precision": 0.5, "zeal": 1.5}):
        trial = Trial("a", "a", "finished", params, {PLAIN: metrics})
        text = trials_csv(TrialTable("x", parse_goals({"accuracy": "max"}), (trial,)))
        (found,) = csv_table("x", text)
        assert (found.params, found.readings) == (params, {PLAIN: metrics})


@pytest.mark.parametrize(
    ("word", "status"),
    [("WAITING", "running"), ("TrialState.PRUNED", "killed"), ("ERROR", "failed"), ("", "finished")],
)
def test_words_of_others_for_how_a_trial_stands(word: str, status: str) -> None:
    table = csv_table("t", f"id,status,fid\na,FINISHED,1\nb,{word},2\n")
    assert [trial.status for trial in table] == ["finished", status]
    assert table.faults == ()


def test_a_word_that_is_not_known_is_told_and_not_on_the_front() -> None:
    table = csv_table("t", "id,status,fid\na,FINISHED,1\nb,lost?,2\n")
    assert [trial.status for trial in table] == ["finished", "killed"]
    assert table.faults == ("status 'lost?' of trial b",)
    assert table.complaint is not None
    (single,) = csv_table("t", "status,fid\nmarried,1\n")
    assert (single.status, single.params) == ("finished", {"status": "married"}), (
        "a column of that name, no more"
    )


def test_tables_of_other_countries_and_programs() -> None:
    expected = ({"learning rate": 0.1}, {"precision": 0.5, "recall": -0.25})
    text = '"learning\nrate";precision;recall\n0,1;0,5;-0,25\n'
    (found,) = csv_table("t", text)
    assert (found.params, found.metrics) == expected
    (tabbed,) = csv_table("t", text.replace(";", "\t"))
    assert (tabbed.params, tabbed.metrics) == expected
    (quoted,) = csv_table("t", 'a,"b;c;d;e",fid\n1,2,"3,5"\n')
    assert (quoted.params, quoted.metrics) == ({"a": 1, "b;c;d;e": 2}, {}), "only where no commas divide"


def test_a_table_in_utf_16_is_read(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_bytes("λ\tfid\n0.5\t3\n".encode("utf-16"))
    source = CsvSource(str(file), file)
    (label,) = source.sweeps()
    (trial,) = source.table(label)
    assert (trial.params, trial.metrics) == ({"λ": 0.5}, {"fid": 3.0})


def test_headings_given_twice_are_told() -> None:
    table = csv_table("t", "lr,fid,lr,fid\n1,2,3,4\n")
    assert (table.trials[0].params, table.trials[0].metrics) == ({"lr": 1}, {"fid": 2.0})
    assert table.faults == ("column 3, another 'lr'", "column 4, another 'fid'")
