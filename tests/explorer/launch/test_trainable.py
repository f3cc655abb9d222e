"""Ray Tune's part takes on packs at its first step, one after the other in one process."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from explorer.launch.trainable import PackTrainable
from tests.explorer.launch.small import configs, small_sweep
from tests.explorer.launch.test_pack_work import order


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def to_the_end(trainable: PackTrainable) -> list[dict[str, Any]]:
    results = [trainable.step()]
    while not results[-1]["done"]:
        results.append(trainable.step())
    return results


def test_a_pack_is_worked_on_to_its_end(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path)
    results = to_the_end(PackTrainable(config=order(sweep)))
    assert results[-1]["reached"] == 2 * 8
    assert set(pickle.loads(results[-1]["payload"])) == set(configs(sweep))
    assert list(tmp_path.rglob("8.pt"))


def test_a_set_up_cannot_fail_and_a_fault_that_would_come_again_is_told_at_once(tmp_path: Path) -> None:
    broken = PackTrainable(config={**order(small_sweep(tmp_path)), "pack": "{}"})
    result = broken.step()
    assert (result["done"], result["failed"]) == (True, "KeyError: 'plugins'")


def test_a_fault_that_may_pass_is_left_to_tune(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("where a folder should be")
    trainable = PackTrainable(config={**order(small_sweep(tmp_path)), "storage": str(blocked)})
    with pytest.raises(OSError, match="file"):
        to_the_end(trainable)


def test_another_pack_is_taken_on_in_the_same_process(tmp_path: Path) -> None:
    first, second = small_sweep(tmp_path), small_sweep(tmp_path, space={"objective.lam": [9]})
    trainable = PackTrainable(config=order(first))
    to_the_end(trainable)
    assert trainable.reset_config(order(second))
    results = to_the_end(trainable)
    assert set(pickle.loads(results[-1]["payload"])) == set(configs(second))


def test_tunes_own_checkpoints_are_empty(tmp_path: Path) -> None:
    trainable = PackTrainable(config=order(small_sweep(tmp_path)))
    assert trainable.save_checkpoint(str(tmp_path / "x")) is None
    trainable.load_checkpoint(None)
    assert not (tmp_path / "x").exists()
