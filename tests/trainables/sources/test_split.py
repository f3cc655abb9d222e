"""A split leaves something on both sides and is always the same."""

from __future__ import annotations

import pytest

from trainables.sources.split import shuffled, split


def test_the_parts_are_apart_and_together_everything() -> None:
    seen, unseen = split(50, 0.3)
    assert (len(seen), len(unseen)) == (35, 15)
    assert sorted([*seen.tolist(), *unseen.tolist()]) == list(range(50))
    assert unseen.tolist() == split(50, 0.3)[1].tolist() == shuffled(50)[:15].tolist()
    assert unseen.tolist() != sorted(unseen.tolist())


@pytest.mark.parametrize(
    ("count", "share"), [(10, 0.0), (10, 1.0), (10, 0.05), (1, 0.5), (0, 0.5), (10, float("nan"))]
)
def test_an_empty_side_is_refused(count: int, share: float) -> None:
    with pytest.raises(
        ValueError, match=f"held_out must leave samples on both sides, got {share} of {count} samples"
    ):
        split(count, share)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 6, 100])
def test_what_is_advised_would_do(count: int) -> None:
    with pytest.raises(ValueError, match="held_out must leave") as refused:
        split(count, 0.001)
    advice = str(refused.value).split("; ")[1]
    if count < 2:
        assert advice == "two are the fewest"
    else:
        split(count, float(advice.removeprefix("use ")))
