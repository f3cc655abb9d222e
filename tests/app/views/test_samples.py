"""Samples: which reading is meant, and what is said where there are none."""

from __future__ import annotations

import numpy as np

from app.views.samples import _marks, samples_note
from explorer.figures import Samples
from explorer.results.witnesses import Witnesses
from explorer.store.schema import PLAIN, At
from tests.app.made_sweep import MADE, read_table

K2 = At("obrs", 2.0)


def test_the_note_counts_kept_and_refused(store_uri: str) -> None:
    table = read_table(store_uri, MADE)
    samples = Samples(np.zeros((9, 2)), {PLAIN: np.zeros((1200, 2)), K2: np.zeros((3, 2))})
    assert samples_note(table, samples, PLAIN) == "1,200 samples at K = 1"
    assert samples_note(table, samples, K2, 4) == "3 samples at K = 2, 4 refused"


def test_refused_samples_are_read_beside_the_kept_ones() -> None:
    raw = {
        "real": [[0.0]],
        "readings": [
            {"method": "none", "budget": 1, "points": [[1.0]]},
            {"method": "obrs", "budget": 2, "points": [[1.0]], "refused": [[2.0], [3.0]]},
            {"method": "obrs", "budget": 4, "points": [[1.0]], "refused": [[2.0, 3.0]]},
            {"method": "obrs", "budget": 8, "points": [[1.0]], "refused": "x"},
        ],
    }
    samples = Samples.from_artifact(raw)
    assert samples is not None
    assert {at: points.tolist() for at, points in samples.refused.items()} == {K2: [[2.0], [3.0]]}


def test_only_witnesses_of_the_same_space_are_marked() -> None:
    found = Witnesses.from_artifact(
        {"outside": {"share": 0.1, "points": [[1.0, 2.0]]}, "missed": {"share": 0.2}}
    )
    outside, missed = _marks(found, 2)
    assert outside is not None
    assert outside.tolist() == [[1.0, 2.0]]
    assert missed is not None
    assert len(missed) == 0
    outside, _ = _marks(found, 1)
    assert outside is not None
    assert outside.shape == (0, 1)
    assert _marks(None, 2) == (None, None)
