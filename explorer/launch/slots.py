"""How many packs run at once, and how many trials a pack carries well."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from explorer.sweep.sweep import Sweep

__all__ = ["Slots", "local_slots"]

_LARGEST_PACK = {"cpu": 64, "gpu": 512}


@dataclass(frozen=True)
class Slots:
    """How many packs run at once, on what."""

    count: int
    gpu: bool

    def pack_limit(self, sweep: Sweep, trials: int) -> int:
        """Trials per pack: spread over all slots, within what a core or a card carries well."""
        spread = max(1, -(-trials // self.count))
        return min(sweep.resources.pack or spread, _LARGEST_PACK["gpu" if self.gpu else "cpu"])


def local_slots(sweep: Sweep, reading: bool = False) -> Slots:
    """What an embedded Ray would offer on this machine; for ``reading`` alone, the cores will do without a card."""
    cpus = (os.cpu_count() or 1) / sweep.resources.cpus
    driver = Path("/proc/driver/nvidia/gpus")
    cards = len(list(driver.iterdir())) if driver.is_dir() else 0
    wanted = sweep.resources.gpus
    per_pack = float(cards > 0) if wanted is None or (reading and not cards) else wanted
    if not per_pack:
        return Slots(max(1, int(cpus)), gpu=False)
    return Slots(max(1, int(min(cpus, cards / per_pack))), gpu=True)
