"""Curves of a trial: from the store, under titles that tell them apart."""

from __future__ import annotations

import numpy as np

from app.views.trial_curves import _by_title, trial_curves
from explorer.results.estimates import PRCurve
from tests.app.made_sweep import MADE, OLD, read_table


def test_the_stored_curve_is_found_and_an_older_trial_has_none(store_uri: str) -> None:
    trial = read_table(store_uri, MADE).trials[0]
    first, *others = trial_curves(store_uri, trial).items()
    assert first[0] == "exact"
    assert len(first[1].lam) > 10
    assert others
    assert all(curve.title and curve.sentence for _, curve in others)
    assert trial_curves(store_uri, read_table(store_uri, OLD).trials[0]) == {}


def test_estimators_of_one_title_are_told_apart() -> None:
    one = np.ones(1)

    def curve(title: str) -> PRCurve:
        return PRCurve(title, "", one, one, one, np.empty(0))

    found = _by_title({"a": curve("T"), "b": curve("T"), "c": curve("U")})
    assert list(found) == ["T (a)", "T (b)", "U"]
