"""Which trial is shown: the reader's, the knee, the first; and who comes next along the front."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from app.scene import Scene, scene_of
from app.view import View
from app.views.trial_choice import MOST_OFFERED, along_front, chosen_row, label_of, named, offered, step
from explorer.goals import parse_goals
from explorer.results.columns import Columns
from explorer.results.runs import SweepInfo
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN

GOALS = parse_goals({"precision": "max", "recall": "max"})
INFO = SweepInfo("s", "", "finished", 0, datetime(2026, 1, 1, tzinfo=UTC), "e", "1")


def scene(places: list[tuple[float, float]], status: str = "finished", **wishes: object) -> Scene:
    trials = tuple(
        Trial(
            f"{i:012x}", f"r{i}", status, {"objective.lam": float(i)}, {PLAIN: {"precision": p, "recall": r}}
        )  # type: ignore[arg-type]
        for i, (p, r) in enumerate(places)
    )
    columns = Columns(TrialTable("s", GOALS, trials))
    return scene_of("u", "s", INFO, columns, View(sweep="s", x="recall", **wishes), running=False)  # type: ignore[arg-type]


BENT = [(0.9, 0.1), (0.3, 0.3), (0.8, 0.8), (0.1, 0.9), (0.2, 0.5)]


def test_the_front_is_walked_by_the_horizontal_column() -> None:
    here = scene(BENT)
    front = along_front(here)
    assert front.tolist() == [0, 2, 3]
    assert chosen_row(here, front) == 2, "the knee"
    assert [step(here, front, row, 1) for row in (0, 2, 3)] == [2, 3, None]
    assert [step(here, front, row, -1) for row in (0, 2, 3)] == [None, 0, 2]
    assert (step(here, front, 4, -1), step(here, front, 4, 1)) == (0, 2), (
        "from beside the front to its neighbours"
    )


def test_where_nobody_is_on_a_front_all_are_walked() -> None:
    failed = scene([(0.5, 0.5)] * 3, "failed")
    front = along_front(failed)
    assert [step(failed, front, row, 1) for row in range(3)] == [1, 2, None]
    assert step(failed, front, 0, -1) is None
    assert offered(failed, front, 1) == [failed.columns.ids[row] for row in (1, 0, 2)]
    assert label_of(failed, failed.columns.ids[0]).endswith("   failed")


def test_the_readers_choice_wins_and_without_a_front_there_is_a_trial_all_the_same() -> None:
    chosen = scene(BENT, trial=f"{4:012x}")
    assert chosen_row(chosen, along_front(chosen)) == 4
    failed = scene(BENT, "failed")
    assert chosen_row(failed, along_front(failed)) == 0
    nobody = scene([])
    assert chosen_row(nobody, along_front(nobody)) is None


def test_the_list_has_the_front_first_and_never_more_than_a_page_can_bear() -> None:
    here = scene(BENT)
    ids = here.columns.ids
    assert offered(here, along_front(here), 1) == [ids[i] for i in (0, 2, 3, 1, 4)]
    rng = np.random.default_rng(0)
    many = scene([tuple(pair) for pair in rng.random((2000, 2)).tolist()])  # type: ignore[misc]
    listed = offered(many, along_front(many), 1999)
    assert len(listed) == len(set(listed)) == MOST_OFFERED
    assert many.columns.ids[1999] in listed


@pytest.mark.parametrize(
    ("told", "found"),
    [
        (f"{3:012x}", f"{3:012x}"),
        (f" {4:012x} ", f"{4:012x}"),
        ("λ 2", f"{2:012x}"),
        ("000", None),
        ("", None),
        ("<script>", None),
    ],
)
def test_a_trial_is_found_by_identity_beginning_or_name(told: str, found: str | None) -> None:
    assert named(scene(BENT), told) == found
    single = scene(BENT[:1])
    assert named(single, "0000") == f"{0:012x}"


def test_a_label_has_name_and_identity() -> None:
    assert label_of(scene(BENT), f"{3:012x}") == f"λ 3   {3:012x}"
    assert label_of(scene(BENT), "typed") == "typed"
