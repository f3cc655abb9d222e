"""Promotion from Python."""

from __future__ import annotations

import pytest

import explorer.api as te
from tests.explorer.tracking.modelled import SWEEP, modelled_store


def test_a_trial_is_registered(tmp_path_factory: pytest.TempPathFactory) -> None:
    found = te.results(SWEEP, modelled_store(tmp_path_factory.mktemp("store")))
    made = te.promote(found, "aaaa050", "ring", alias="champion", budget=2)
    assert (made.name, made.version, made.made) == ("ring", "1", True)
    assert not te.promote(found, "aaaa050", "ring").made
    for wrong, told in (
        (("ring", "aaaa050", "x"), "must be what te.results returns"),
        ((found, "aaaa050", 5), "a model's name must be text"),
        ((found, "nobody", "x"), "which none of 7 trials do"),
    ):
        with pytest.raises(te.UserError, match=told):
            te.promote(*wrong)  # type: ignore[arg-type]
    with pytest.raises(te.UserError, match="the budget must be one at which"):
        te.promote(found, "aaaa050", "ring", budget=3)
