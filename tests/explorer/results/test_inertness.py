"""The codes of a whole table are the words of its trials."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from explorer.goals import Goal
from explorer.results.columns import Columns
from explorer.results.inertness import WAYS, inertness, ways_of
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN

KEYS = ("lam_below", "lam_above", "lam_inert", "lam_never_caps", "lam_starves")
told = st.dictionaries(st.sampled_from(KEYS), st.sampled_from([0.0, 0.25, 0.5, 1.0]))


@given(st.lists(told, max_size=20))
def test_codes_are_those_of_the_words(metrics: list[dict[str, float]]) -> None:
    trials = tuple(
        Trial(f"{i:012x}", f"run{i}", "finished", {}, {PLAIN: found} if found else {})
        for i, found in enumerate(metrics)
    )
    columns = Columns(TrialTable("t", (Goal("precision", "max"),), trials))
    assert [WAYS[way] for way in ways_of(columns)] == [inertness(trial) for trial in trials]
    assert ways_of(columns) is ways_of(columns)
