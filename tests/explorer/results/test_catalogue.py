"""The catalogue says what a number is, where better lies and how far it can go; it survives its file."""

from __future__ import annotations

import json

import pytest

from explorer.results.catalogue import Catalogue, built_in
from explorer.sweep import list_presets, load_sweep
from trainables.metrics.metric import Entry

OWN = Catalogue.of(
    [
        Entry("beauty", "Beauty", "How fair it is.", "max", -1.0, 2.5, "cd"),
        Entry("loss", "Loss", "", "min", 0, diagnostic=True),
        Entry("odd", "Odd", "Neither end is better."),
    ],
    {"mine": "Keeps the best."},
    {"model.mine.width": "How wide it is."},
)


def test_a_catalogue_survives_its_file() -> None:
    assert Catalogue.from_json(OWN.to_json()) == OWN
    assert Catalogue.from_json(OWN.to_json().encode()) == OWN
    assert Catalogue.from_json(built_in().to_json()) == built_in(), "bounds of 0 and 1 included"


@pytest.mark.parametrize("preset", list_presets())
def test_the_catalogue_of_every_preset_survives_its_file(preset: str) -> None:
    catalogue = Catalogue.of(load_sweep(preset).plan.catalogue())
    assert Catalogue.from_json(catalogue.to_json()) == catalogue
    assert {goal.metric for goal in load_sweep(preset).search.goals()} <= set(catalogue.entries)


def test_keys_of_a_later_version_are_passed_over() -> None:
    raw = json.dumps({"metrics": [{"key": "x", "title": "X", "colour": "red", "low": 0}], "version": 9})
    assert Catalogue.from_json(raw) == Catalogue.of([Entry("x", "X", "", low=0)])


@pytest.mark.parametrize(
    "damaged",
    [None, "", b"", "{", "null", "[]", '{"metrics": [{"key": 3, "title": "x"}]}',
     '{"metrics": [{"title": "x"}]}', '{"metrics": [{"key": "x", "title": "x", "direction": "up"}]}', b"\xff\xfe",
     '{"metrics": [3]}', '{"metrics": [{"key": "a", "title": "A", "low": "none"}]}'],
)  # fmt: skip
def test_what_is_absent_or_damaged_is_no_catalogue(damaged: str | bytes | None) -> None:
    assert Catalogue.from_json(damaged) is None


@pytest.mark.parametrize(
    "odd",
    ["3", "{}", '{"key": "x"}', '{"key": "x", "title": ["X"]}', '{"key": "x", "title": "X", "low": NaN}',
     '{"key": "x", "title": "X", "high": 1e999}', '{"key": "x", "title": "X", "low": true}',
     '{"key": "x", "title": "X", "sentence": 3}', '{"key": "x", "title": "X", "direction": ["max"]}'],
)  # fmt: skip
def test_one_odd_entry_costs_no_other(odd: str) -> None:
    raw = f'{{"metrics": [{odd}, {{"key": "y", "title": "Y\\u001b"}}], "methods": ["obrs"]}}'
    assert Catalogue.from_json(raw) == Catalogue.of([Entry("y", "Y�", "")])


def test_what_is_said_of_a_number() -> None:
    assert (OWN.title("beauty"), OWN.direction("beauty"), OWN.bounds("beauty")) == (
        "Beauty",
        "max",
        (-1.0, 2.5),
    )
    assert (OWN.direction("odd"), OWN.bounds("odd")) == (None, (None, None))
    assert OWN.is_diagnostic("loss")
    assert not OWN.is_diagnostic("beauty")


def test_of_an_unknown_number_nothing_is_made_up() -> None:
    assert (OWN.title("sparkle"), OWN.direction("sparkle"), OWN.bounds("sparkle")) == (
        "sparkle",
        None,
        (None, None),
    )
    assert not OWN.is_diagnostic("sparkle")
    assert OWN.title("objective.lam") == "λ"


def test_order_is_metrics_then_unknown_ones_then_diagnostics() -> None:
    assert OWN.ordered(["z", "loss", "odd", "a", "beauty", "z"]) == ["beauty", "odd", "a", "z", "loss"]
    assert OWN.ordered([]) == []


def test_this_version_knows_the_everyday_metrics_costs_and_diagnostics() -> None:
    keys = list(built_in().entries)
    assert keys[:2] == ["precision", "recall"]
    assert {"fid", "prd.f8", "acceptance", "draws", "train_seconds"} <= set(keys)
    assert built_in().bounds("precision") == (0, 1)
    assert built_in().direction("fid") == "min"
