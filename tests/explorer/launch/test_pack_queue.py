"""Parts of a pack: who goes on together, who leaves, and what becomes of a part that raised."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from explorer.launch.pack_queue import PackQueue
from explorer.launch.packing import PlannedTrial
from trainables.config import TrialConfig


def planned(name: str, end: int = 8, final: bool = True) -> PlannedTrial:
    return PlannedTrial(name, TrialConfig(), 0, end, final=final)


def names(trials: Iterable[PlannedTrial]) -> str:
    return "".join(trial.id for trial in trials)


def parts(queue: PackQueue) -> list[str]:
    """All that is left, part by part; the queue is empty afterwards."""
    found = []
    while queue:
        found.append(names(queue.first))
        queue.keep([])
    return found


def test_who_goes_to_one_end_goes_together_and_the_nearest_end_comes_first() -> None:
    queue = PackQueue(
        [planned("a", 8), planned("b", 4), planned("c", 8), planned("d", 8, final=False), planned("e", 4)]
    )
    assert parts(queue) == ["be", "d", "ac"]
    assert not PackQueue([])


def test_a_part_shrinks_and_an_empty_one_is_gone() -> None:
    queue = PackQueue([planned("a", 4), planned("b", 4), planned("c", 4), planned("d", 8)])
    assert queue.leave_out("b").id == "b"
    assert names(queue.first) == "ac"
    queue.keep([1])
    assert names(queue.first) == "c"
    assert queue.leave_out("c").id == "c"
    assert parts(queue) == ["d"]


def test_a_part_is_cut_where_it_stands() -> None:
    queue = PackQueue([planned("a", 4), planned("b", 4), planned("c", 4), planned("d", 8)])
    first = list(queue.first)
    queue.cut([first[2:], [], first[:1]])
    assert parts(queue) == ["c", "a", "d"]


def test_new_ends_count_when_the_part_is_divided() -> None:
    queue = PackQueue([planned(name, 4, final=False) for name in "abcd"])
    queue.set_ends({"a": (8, True), "c": (4, True), "elsewhere": (1, True)})
    assert [(trial.id, trial.end, trial.final) for trial in queue.first] == [
        ("a", 8, True),
        ("b", 4, False),
        ("c", 4, True),
        ("d", 4, False),
    ]
    assert queue.divide(over=()) is None
    assert parts(queue) == ["b", "a", "d", "c"], "halves, and in each the nearest end first"


def test_who_raises_alone_is_taken_out_unless_it_is_over() -> None:
    queue = PackQueue([planned("a", 4), planned("b", 8)])
    alone = queue.divide(over=())
    assert alone is not None
    assert alone.id == "a"
    assert queue.divide(over={"b"}) is None
    assert not queue


def test_one_that_is_left_of_several_is_tried_once_more() -> None:
    queue = PackQueue([planned("a"), planned("b")])
    assert queue.divide(over={"a"}) is None
    assert parts(queue) == ["b"], "what raised may have been for the other's sake"


@given(st.sets(st.integers(0, 40), min_size=1), st.data())
def test_halves_end_with_every_culprit_alone_and_nobody_else(trials: set[int], data: st.DataObject) -> None:
    culprits = {str(i) for i in data.draw(st.sets(st.sampled_from(sorted(trials))))}
    queue = PackQueue([planned(str(i)) for i in trials])
    alone, sound = set(), set()
    while queue:
        here = {trial.id for trial in queue.first}
        if here & culprits:
            found = queue.divide(over=())
            alone |= {found.id} if found else set()
        else:
            sound |= here
            queue.keep([])
    assert (alone, sound) == (culprits, {str(i) for i in trials} - culprits)
