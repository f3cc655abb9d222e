"""The front of a table at a reading: who is on it, in which order, and in a data frame."""

from __future__ import annotations

from explorer.goals import Goal
from explorer.pareto import Front, front_document, rank
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN
from tests.explorer.pareto.test_document import K2, TABLE
from tests.explorer.pareto.test_ranking import many_goals


def trial(name: str, precision: float, recall: float) -> Trial:
    return Trial(name, f"r{name}", "finished", {}, {PLAIN: {"precision": precision, "recall": recall}})


PAIRS = TrialTable(
    "pairs",
    (Goal("precision", "max"), Goal("recall", "max")),
    (
        trial("sharp", 0.9, 0.2),
        trial("diverse", 0.3, 0.8),
        trial("worse", 0.2, 0.7),
        trial("middle", 0.5, 0.5),
    ),
)


def test_trials_come_by_falling_recall() -> None:
    front = Front(PAIRS, PLAIN)
    assert [t.id for t in front] == ["diverse", "middle", "sharp"]
    assert [t.id for t in front.by_recall()] == ["diverse", "worse", "middle", "sharp"]
    assert (len(front), "sharp" in front, PAIRS.trials[2] in front) == (3, True, False)
    assert (
        repr(front)
        == f"<pairs: 3 of 4 trials on the front; hypervolume {0.2 * 0.9 + 0.3 * 0.5 + 0.3 * 0.3:.4f}>"
    )


def test_it_is_what_the_ranking_says_at_its_reading() -> None:
    front, ranking = Front(TABLE, K2), rank(TABLE, K2)
    assert [t.id for t in front] == ["b"]
    assert (front.ranks, front.hypervolume, front.reference) == (
        ranking.ranks, ranking.hypervolume, ranking.reference
    )  # fmt: skip
    assert front.headline() == "t: 1 of 3 trials on the front at K = 2, obrs"
    assert front.document() == front_document(TABLE, K2)


def test_a_data_frame_has_the_front_at_its_reading_in_its_order() -> None:
    frame = Front(PAIRS, PLAIN).to_pandas()
    assert frame["id"].tolist() == ["diverse", "middle", "sharp"]
    at_two = Front(TABLE, K2).to_pandas()
    assert at_two[["id", "method", "budget", "rank", "fid"]].to_numpy().tolist() == [
        ["b", "obrs", 2.0, 0, 1.0]
    ]
    assert len(Front(TrialTable("t", TABLE.goals, ()), PLAIN).to_pandas()) == 0


def test_a_front_without_a_hypervolume_says_why() -> None:
    told = "no hypervolume: that of 100 trials under 8 objectives would take too long"
    assert repr(Front(many_goals(100, 8), PLAIN)) == f"<t: 100 of 100 trials on the front; {told}>"
