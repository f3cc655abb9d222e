"""Goals keep their order and direction, and after normalising smaller is always better."""

import numpy as np
import pytest

from explorer.goals import Goal, minimised, parse_goals


def test_order_and_direction_are_kept():
    assert parse_goals({"fid": "min", "recall": "max"}) == (
        Goal("fid", "min"),
        Goal("recall", "max"),
    )


def test_smaller_is_better_after_normalising():
    objectives = parse_goals({"precision": "max", "fid": "min"})
    rows = [{"precision": 0.9, "fid": 2.0}, {"precision": 0.5, "fid": 3.0}]
    np.testing.assert_array_equal(minimised(objectives, rows), [[-0.9, 2.0], [-0.5, 3.0]])


def test_absent_metric_is_nan_and_no_rows_keep_the_shape():
    objectives = parse_goals({"precision": "max", "fid": "min"})
    assert np.isnan(minimised(objectives, [{"precision": 0.9}])[0, 1])
    assert minimised(objectives, []).shape == (0, 2)


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ({}, "at least one"),
        ({"fid": "down"}, "'max' or 'min', got 'down'"),
        ({"fid": np.zeros(2, dtype=[("a", "f8")])}, "'max' or 'min', got "),
        ({f"m{i}": "max" for i in range(9)}, "at most 8 objectives, got 9"),
    ],
)
def test_bad_objectives_are_told(raw, told):
    with pytest.raises(ValueError, match=told):
        parse_goals(raw)


def test_the_sign_turns_every_goal_into_a_cost():
    assert (Goal("fid", "min").sign, Goal("recall", "max").sign) == (1.0, -1.0)
