"""Packs hold trials of one shape and one starting point, and every trial exactly once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from explorer.launch.packing import Pack, PlannedTrial, make_packs
from trainables.config import ModelConfig, ObjectiveConfig, TrainingConfig, TrialConfig


def planned(width: int, start: int, seed: int) -> PlannedTrial:
    config = TrialConfig(model=ModelConfig(generator=(width,)), seed=seed).resolved()
    return PlannedTrial(config.identity(), config, start)


@given(
    st.lists(st.tuples(st.sampled_from([4, 8]), st.sampled_from([0, 10]), st.integers(0, 50)), unique=True),
    st.integers(1, 7),
)
def test_packs_partition_the_trials(rows: list[tuple[int, int, int]], limit: int) -> None:
    trials = [planned(*row) for row in rows]
    packs = make_packs(trials, limit)
    seen = [t for pack in packs for t in pack.trials]
    assert sorted(seen, key=repr) == sorted(trials, key=repr)
    for pack in packs:
        assert 1 <= len(pack.trials) <= limit
        assert len({(t.config.shape(), t.start) for t in pack.trials}) == 1
    sizes: dict[tuple[str, int], list[int]] = {}
    for pack in packs:
        sizes.setdefault((pack.trials[0].config.shape(), pack.trials[0].start), []).append(len(pack.trials))
    assert all(max(s) - min(s) <= 1 for s in sizes.values())


def test_what_may_vary_inside_a_pack() -> None:
    base = TrialConfig()
    other = TrialConfig(
        objective=ObjectiveConfig(name="hinge"), training=TrainingConfig(generator_lr=1.0), seed=9
    )
    assert base.shape() == other.shape()
    assert base.shape() != TrialConfig(training=TrainingConfig(iterations=7)).shape()


def test_a_pack_survives_the_way_through_json() -> None:
    pack = Pack((planned(4, 0, 1), planned(4, 0, 2)))
    again = Pack.from_json(pack.to_json())
    assert again == pack
    assert [t.config.identity() for t in again.trials] == [t.id for t in pack.trials]
