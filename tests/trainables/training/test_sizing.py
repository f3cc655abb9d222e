"""How many trials train at a time: by measurements made up, and by real ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainables.config import TrainingConfig, TrialConfig
from trainables.models.mlp_gan import MlpGan
from trainables.training.sizing import SHARE, Measured, best_size, measured_sizes

ROOM = 2**34


def grown(each: int, least: int = 2**20, seconds: float = 0.01, per_trial: float = 0.0) -> list[Measured]:
    return [Measured(n, seconds + per_trial * n, least + each * n) for n in (1, 4, 16, 64)]


def test_what_fits_and_gains_trains_together() -> None:
    assert best_size(grown(2**20), 64, ROOM).trials == 64
    assert best_size(grown(2**20, per_trial=0.01), 64, ROOM).trials == 64, "larger ones are never slower"
    assert best_size([], 64, ROOM).trials == 64, "nothing was measured"
    assert best_size(grown(2**20)[:1], 64, ROOM).trials == 64, "one size tells nothing of the next"


@given(st.integers(2**16, 2**32), st.integers(0, 2**30), st.integers(1, 512))
def test_memory_bounds_the_size(each: int, least: int, trials: int) -> None:
    size = best_size(grown(each, least), trials, ROOM)
    assert 1 <= size.trials <= trials
    if size.trials > 1:
        assert least + each * size.trials <= SHARE * ROOM
    if size.trials < trials:
        assert least + each * (size.trials + 1) > SHARE * ROOM, "no smaller than need be"
        assert size.reason.startswith("each takes about ")


def test_a_size_that_is_slower_is_not_taken() -> None:
    slow = [Measured(1, 0.01, 0), Measured(4, 0.02, 0), Measured(16, 0.2, 0)]
    size = best_size(slow, 16, ROOM)
    assert (size.trials, size.reason) == (4, "16 at a time are 2.5 times slower, each for itself")
    nearly = [*slow[:2], Measured(16, 16 / (SHARE * 200) - 1e-6, 0)]
    assert best_size(nearly, 16, ROOM).trials == 16, "a fifth is within what one sees of others' work"


def configs(count: int) -> list[TrialConfig]:
    training = TrainingConfig(iterations=1000, batch_size=8)
    return [
        TrialConfig(model=MlpGan(generator=(4,), critic=(4,)), training=training, seed=n)
        for n in range(count)
    ]


@pytest.mark.parametrize(
    ("count", "sizes"), [(1, [1]), (5, [1, 4, 5]), (16, [1, 4, 16]), (20, [1, 4, 16, 20])]
)
def test_populations_that_grow_are_tried(
    count: int, sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trainables.training.sizing.LONGEST", 1e9)
    found = measured_sizes(configs(count), "cpu", ROOM)
    assert [one.trials for one in found] == sizes
    assert all(one.seconds > 0 for one in found)
    assert [one.peak for one in found] == sorted(one.peak for one in found)


def test_what_would_not_fit_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trainables.training.sizing.LONGEST", 1e9)
    held = iter([0, 2**30, 4 * 2**30])
    monkeypatch.setattr("trainables.training.sizing._held", lambda device: next(held))
    found = measured_sizes(configs(64), "cpu", 2**33)
    assert [one.trials for one in found] == [1, 4], "sixteen would take 16 GiB of 8"
    assert best_size(found, 64, 2**33).trials == 6
