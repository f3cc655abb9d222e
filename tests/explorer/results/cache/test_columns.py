"""Runs as columns come back as they were, kinds of values and signs of zero included."""

from __future__ import annotations

from dataclasses import fields
from io import BytesIO

from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.results.cache.columns import read_columns, write_columns
from explorer.results.known import Known
from explorer.results.table import Trial
from explorer.store.schema import TRADE_OFFS, At
from explorer.store.stop import Stop

text = st.text(max_size=8)
scalar = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | text
)
at = st.builds(At, text, st.sampled_from([1.0, 1.5, 2.0]))
number = st.floats(-1e300, 1e300)
known = st.builds(
    Known,
    trial=st.builds(
        Trial,
        id=text,
        run_id=text,
        status=st.sampled_from(["finished", "failed", "killed", "running"]),
        params=st.dictionaries(text, scalar, max_size=3),
        readings=st.dictionaries(at, st.dictionaries(text, number, max_size=3), max_size=3),
        reason=st.none() | text,
        marks=st.dictionaries(at, text, max_size=2),
        stopped=st.none() | st.builds(Stop, st.integers(), text, text),
        outcome=st.none() | text,
        layout=text,
        alphas=st.just(()) | st.just(tuple(lam / 2000 for lam in TRADE_OFFS)),
        started=st.integers(0, 2**63),
        ended=st.integers(0, 2**63),
    ),
    step=st.none() | st.integers(),
    artifact_uri=text,
    told=text,
    faults=st.lists(text, max_size=2).map(tuple),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(known, max_size=5))
def test_runs_come_back_as_they_were(runs: list[Known]) -> None:
    file = BytesIO()
    write_columns(file, runs, {"about": [1, None]})
    file.seek(0)
    found, head = read_columns(file)
    assert head == {"about": [1, None]}
    assert found == runs
    assert [repr(one.trial.params) for one in found] == [repr(one.trial.params) for one in runs]


def test_every_field_of_a_trial_is_kept() -> None:
    """A field that is added to a trial must be added to its columns, and to ``known`` above."""
    assert {field.name for field in fields(Trial)} == {
        "id", "run_id", "status", "params", "readings", "reason", "marks", "stopped", "outcome", "layout", "alphas",
        "started", "ended",
    }  # fmt: skip
    assert Known._fields == ("trial", "step", "artifact_uri", "told", "faults")
