"""How trials end."""

from __future__ import annotations

from explorer.launch.outcomes import Settled


def test_a_settled_trial_needs_no_reason() -> None:
    assert Settled({"fid": 1.0}).reason is None
