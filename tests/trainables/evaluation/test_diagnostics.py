"""The catalogue of what is no metric: every key once, each with a sentence."""

from __future__ import annotations

from dataclasses import fields

from trainables.evaluation.diagnostics import COSTS, DIAGNOSTICS
from trainables.evaluation.reading import Cost
from trainables.metrics import every_metric


def test_keys_are_unique_and_none_is_a_metric() -> None:
    keys = [entry.key for entry in (*COSTS, *DIAGNOSTICS)]
    assert len(keys) == len(set(keys))
    assert not set(keys) & {entry.key for metric in every_metric() for entry in metric.entries}


def test_every_entry_is_explained_and_no_goal() -> None:
    for entry in (*COSTS, *DIAGNOSTICS):
        assert entry.sentence.endswith(".")
        assert entry.diagnostic or entry.key == "acceptance"
        assert entry.low is None or entry.high is None or entry.low < entry.high


def test_costs_are_those_of_a_reading() -> None:
    assert {entry.key for entry in COSTS} == {"acceptance", *(f.name for f in fields(Cost))}
