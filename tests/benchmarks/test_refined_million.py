"""The stream of many refined samples, in small: one process a stream, whose calls and memory are told."""

from __future__ import annotations

import json

import pytest

from benchmarks.refined_million import main


def test_a_stream_tells_what_it_cost(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--one", "--methods", "mh", "--samples", "300", "--budget", "3"])
    told = json.loads(capsys.readouterr().out)
    assert (told["draws"], told["acceptance"]) == (3.0, pytest.approx(1 / 3))
    assert 0 < told["before"] <= told["peak"]
    assert told["seconds"] > 0


def test_every_method_has_a_row_beside_the_first(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--samples", "300", "--methods", "obrs", "mh"])
    head, *rows = (line.split() for line in capsys.readouterr().out.splitlines())
    assert head[:2] == ["method", "samples"]
    assert [row[:2] for row in rows] == [["obrs", "300"], ["mh", "300"]]
    assert rows[0][3] == "1.00"
    assert 1.5 < float(rows[0][4]) < 2.5
    assert float(rows[1][4]) == 2.0
