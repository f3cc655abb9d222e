"""What every stopper must do: leave what improves alone, name only trials it was shown, and say why in words."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.goals import parse_goals
from explorer.stopping import STOPPERS, Stopper
from explorer.stopping.halving import Halving
from explorer.stopping.hopeless import Hopeless
from explorer.stopping.hypervolume import HypervolumePlateau
from explorer.stopping.none import Never
from explorer.stopping.plateau import Plateau
from explorer.sweep.members import build_member
from tests.explorer.stopping.histories import history
from trainables.evaluation.reading import Evaluation

MEMBERS: list[Stopper] = [
    Halving(),
    Hopeless(patience=1),
    HypervolumePlateau(patience=1),
    Never(),
    Plateau(patience=2, margin=0.01),
]
"""One of each; a new stopper is one line here."""

GOALS = parse_goals({"precision": "max", "fid": "min"})

each = pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)
values = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 100)), min_size=0, max_size=8)


def test_every_stopper_is_listed() -> None:
    assert sorted(member.name for member in MEMBERS) == sorted(STOPPERS)


@each
def test_the_plain_form_survives_json(member: Stopper) -> None:
    plain = json.loads(json.dumps(member.plain()))
    assert build_member(STOPPERS, plain, "stopping") == member


@each
@pytest.mark.parametrize("length", range(12))
def test_a_trial_that_improves_at_every_evaluation_is_never_ended(member: Stopper, length: int) -> None:
    rising = history(precision=[0.05 * i for i in range(length)], fid=[100.0 - i for i in range(length)])
    assert member.stop({"a": rising}, GOALS) == {}


@each
@settings(max_examples=60)
@given(st.dictionaries(st.sampled_from("abcd"), values, max_size=4))
def test_only_trials_that_were_shown_are_named_with_a_reason_in_words(
    member: Stopper, rows: dict[str, list[tuple[float, float]]]
) -> None:
    histories = {
        name: history(precision=[p for p, _ in row], fid=[f for _, f in row]) if row else []
        for name, row in rows.items()
    }
    ended = member.stop(histories, GOALS)
    assert set(ended) <= set(histories)
    assert all(isinstance(reason, str) and reason.strip() for reason in ended.values())
    assert all(len(reason) < 200 and "\n" not in reason for reason in ended.values())
    assert member.stop(histories, GOALS) == ended, "the same histories, the same answer"


@each
def test_a_trial_not_yet_evaluated_is_left_alone(member: Stopper) -> None:
    assert member.stop({}, GOALS) == {}
    assert member.stop({"a": []}, GOALS) == {}


@each
def test_what_was_shown_is_not_changed(member: Stopper) -> None:
    shown: dict[str, list[Evaluation]] = {"a": history(precision=[0.5] * 6, fid=[1.0] * 6)}
    kept = list(shown["a"])
    member.stop(shown, GOALS)
    assert shown == {"a": kept}
