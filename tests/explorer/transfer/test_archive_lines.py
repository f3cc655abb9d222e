"""A run as a line, and back, whatever it holds."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mlflow.exceptions import MlflowException
from mlflow.utils.validation import _validate_metric, _validate_param, _validate_tag

from explorer.store.whole import Input, Point, WholeRun
from explorer.transfer.archive_lines import ArchivedFile, ArchivedRun, is_key, is_path, line_of, read_line

whole = st.integers(-(2**63), 2**63 - 1)
texts = st.text(max_size=30)
words = st.text(min_size=1, max_size=30)
keys = st.text(st.sampled_from("aZ0_/.- :üλ…"), min_size=1, max_size=30).filter(is_key)
data = st.builds(Input, words, words, words, words, texts, texts, st.dictionaries(words, texts, max_size=2))
points = st.builds(Point, whole, st.integers(0, 2**63 - 1), st.floats())
runs = st.builds(
    WholeRun,
    texts,
    st.sampled_from(["finished", "failed", "killed", "running"]),
    whole,
    whole,
    st.dictionaries(keys, texts, max_size=3),
    st.dictionaries(keys, texts, max_size=3),
    st.dictionaries(keys, st.lists(points, max_size=4).map(tuple), max_size=3),
    st.lists(data, max_size=2).map(tuple),
)
files = st.builds(ArchivedFile, texts, st.just("ab" * 32), st.integers(0, 2**62))


def plain(one: ArchivedRun) -> Any:
    """Comparable: NaN equals itself."""
    run = one.run
    told = {key: [(p.step, p.time, repr(p.value)) for p in line] for key, line in run.histories.items()}
    return (
        one.trial,
        run.name,
        run.status,
        run.started,
        run.ended,
        run.tags,
        run.params,
        told,
        run.inputs,
        one.files,
    )


@given(st.none() | words, runs, st.dictionaries(st.sampled_from(["a", "b/c", "d.e"]), files, max_size=3))
def test_whatever_a_run_holds_comes_back(
    trial: str | None, run: WholeRun, kept: dict[str, ArchivedFile]
) -> None:
    one = ArchivedRun(trial, run, kept)
    line = line_of(one)
    assert line.count(b"\n") == 1
    assert line.isascii()
    assert plain(read_line(line)) == plain(one)
    assert line_of(read_line(line)) == line


@given(st.binary(max_size=200))
def test_anything_else_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError, match=r"is no JSON object|has no|tells"):
        read_line(line)


def mlflow_takes(key: str) -> bool:
    try:
        _validate_metric(key, 1.0, 0, 0)
        _validate_param(key, "x")
        _validate_tag(key, "x")
    except MlflowException:
        return False
    return not key.endswith("\n")  # which it overlooks


@given(
    st.text(max_size=6) | st.text(st.sampled_from("a/. -:=$\n\\ü"), max_size=6) | st.text("ab", min_size=249)
)
def test_a_name_is_one_that_mlflow_takes(key: str) -> None:
    assert is_key(key) == mlflow_takes(key)


def test_numbers_that_json_has_no_word_for_are_told() -> None:
    values = (math.nan, math.inf, -math.inf, 1.7976931348623157e308, 5e-324, -0.0)
    run = WholeRun("", "finished", 0, histories={"x": tuple(Point(0, 0, value) for value in values)})
    line = line_of(ArchivedRun("a", run))
    assert b'"NaN"' in line
    assert b'"-Infinity"' in line
    assert [repr(p.value) for p in read_line(line).run.histories["x"]] == [repr(value) for value in values]


@pytest.mark.parametrize("path", ["a", "a/b/c.json", "model/MLmodel", "…/ü"])
def test_a_path_may_go_down(path: str) -> None:
    assert is_path(path)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/a",
        "a//b",
        "../a",
        "a/../b",
        ".",
        "a/.",
        "C:x",
        "a\\b",
        "a\n",
        "x" * 600,
        "/".join("a" * 30),
        " ",
    ],
)
def test_a_path_that_leads_elsewhere_is_none(path: str) -> None:
    assert not is_path(path)
