"""The comparison of readers in small: every line is there, and all runs came."""

from __future__ import annotations

import pytest

from benchmarks.bench_results import main


def test_all_ways_of_reading_are_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", "set back afterwards")
    main(["--trials", "120", "--repeats", "1"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "120 runs, 30 parameters, 30 metrics; sqlite"
    assert [line[:46].strip() for line in lines[2:9]] == [
        "mlflow.search_runs to a DataFrame",
        "first load, nothing kept",
        "load from what is kept, new process",
        "a look after 50 new runs, same process",
        "a load after 50 new runs, new process",
        "imports of MLflow, not counted",
        "imports of ours, not counted",
    ]
