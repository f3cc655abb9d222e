"""Reliabilities as artifacts hold them: what ``trainables`` tells is read whole, anything else is no reliability."""

from __future__ import annotations

import copy
import json
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from explorer.results.reliability import COLUMNS, MOST_BINS, TITLES, read_reliability
from tests.explorer.results.reliabilities import told
from tests.explorer.results.test_points import ANYTHING
from trainables.rejection.reliability.verdict import Kind


def test_what_was_told_is_read_whole() -> None:
    raw = told()
    found = read_reliability(raw)
    assert found is not None
    assert (found.budget, found.real, found.fake, len(found)) == (4.0, 600, 500, 10)
    for name in COLUMNS:
        np.testing.assert_array_equal(found.bins[name], np.array(raw["bins"][name], dtype=float))
    assert found.edges.tolist() == raw["histogram"]["edges"]
    assert found.heights_real.sum() == 600
    assert found.heights_fake.sum() == 500
    for name in (
        "error",
        "error_by_chance",
        "misplaced",
        "misplaced_by_chance",
        "effective",
        "largest",
        "certain",
    ):
        assert getattr(found, name) == raw[name]
    assert found.p_value == raw["misfit"]["p_value"]
    assert found.title == "The density ratio is over-confident"
    assert (found.sentence, found.remedy) == (raw["verdict"]["sentence"], raw["verdict"]["remedy"])
    assert not found.trusted


def test_endless_ratios_and_constants_are_read_as_unknown() -> None:
    raw = told(factor=1.0, shift=6.0, budget=1.0)
    assert None in raw["bins"]["observed_ratio"]
    found = read_reliability(raw)
    assert found is not None
    assert np.isnan(found.bins["observed_ratio"]).any()
    assert np.isnan(found.certain)


def test_every_kind_of_verdict_has_its_headline() -> None:
    assert set(TITLES) == set(get_args(Kind))


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("budget",), 0.5),
        (("budget",), float("inf")),
        (("budget",), "4"),
        (("bins",), None),
        (("bins", "real"), []),
        (("bins", "real"), [1, 2]),
        (("bins", "fake"), [-1.0] * 10),
        (("bins", "observed_share"), [1.5] * 10),
        (("bins", "share_low"), [None] * 10),
    ],
)
def test_what_cannot_be_drawn_is_no_reliability(where: tuple[str, ...], value: object) -> None:
    raw = told()
    inside: Any = raw
    for name in where[:-1]:
        inside = inside[name]
    inside[where[-1]] = value
    assert read_reliability(raw) is None


@pytest.mark.parametrize("value", [None, {}, {"edges": [1, 0], "real": [1], "fake": [1]}, [1, 2]])
def test_without_a_histogram_or_a_verdict_the_rest_is_read(value: object) -> None:
    raw = {**told(), "histogram": value, "verdict": value, "misfit": value}
    found = read_reliability(raw)
    assert found is not None
    assert len(found.edges) == len(found.heights_real) == 0
    assert found.title == "Is the density ratio right?"
    assert not found.trusted
    assert np.isnan(found.p_value)


def test_long_lists_and_long_words_are_cut() -> None:
    raw = told()
    raw["bins"] = {name: values * 50 for name, values in raw["bins"].items()}
    raw["verdict"]["sentence"] = "x" * 10_000
    found = read_reliability(raw)
    assert found is not None
    assert len(found) == MOST_BINS
    assert len(found.sentence) <= 400


@given(some.data())
def test_whatever_stands_there_is_read_without_an_error(data: some.DataObject) -> None:
    raw = copy.deepcopy(told())
    inside: Any = raw
    while isinstance(inside, dict):
        name = data.draw(some.sampled_from(sorted(inside)))
        if not isinstance(inside[name], dict) or data.draw(some.booleans()):
            inside[name] = data.draw(ANYTHING)
            break
        inside = inside[name]
    read_reliability(raw)
    read_reliability(data.draw(ANYTHING))


def test_json_keeps_it() -> None:
    assert json.loads(json.dumps(told(), allow_nan=False)) == told()
