"""Trials are spread over all slots, within what a core or a card carries well."""

from __future__ import annotations

import os

import pytest
import torch

from explorer.launch.slots import Slots, local_slots
from explorer.sweep import load_sweep

DEMO = load_sweep("demo")


@pytest.mark.parametrize(
    ("slots", "trials", "limit"),
    [
        (Slots(4, gpu=False), 16, 4),
        (Slots(4, gpu=False), 17, 5),
        (Slots(4, gpu=False), 0, 1),
        (Slots(1, gpu=False), 1000, 64),
        (Slots(1, gpu=True), 1000, 512),
    ],
)
def test_packs_are_as_large_as_the_spread_asks(slots: Slots, trials: int, limit: int) -> None:
    assert slots.pack_limit(DEMO, trials) == limit


def test_a_sweep_may_cap_its_packs_but_not_beyond_what_a_slot_carries() -> None:
    assert Slots(1, gpu=False).pack_limit(load_sweep("demo", ["resources.pack=3"]), 100) == 3
    assert Slots(1, gpu=False).pack_limit(load_sweep("demo", ["resources.pack=300"]), 1000) == 64


def test_this_machine_offers_its_cores() -> None:
    cores = os.cpu_count() or 1
    assert local_slots(load_sweep("demo", ["resources.gpus=0"])) == Slots(cores, gpu=False)
    assert local_slots(load_sweep("demo", ["resources={gpus: 0, cpus: 0.5}"])) == Slots(2 * cores, gpu=False)
    assert local_slots(load_sweep("demo", ["resources={gpus: 0, cpus: 4000}"])) == Slots(1, gpu=False)
    assert local_slots(load_sweep("demo", ["resources.gpus=1"])).gpu


@pytest.mark.skipif(torch.cuda.is_available(), reason="needs a machine without a GPU")
@pytest.mark.parametrize("gpus", ["1", "0", "null"])
def test_to_read_the_cores_will_do_where_there_is_no_card(gpus: str) -> None:
    sweep = load_sweep("demo", [f"resources.gpus={gpus}"])
    assert local_slots(sweep, reading=True) == Slots(os.cpu_count() or 1, gpu=False)
