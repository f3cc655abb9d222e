"""What a preset holds, in numbers: its data, its model, how many bases and trials it trains."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from math import prod

from explorer.search import of_search
from explorer.sweep.document import load_sweep, preset_names
from explorer.sweep.start import BASE
from explorer.sweep.sweep import Sweep
from trainables.config import TrialConfig

__all__ = ["Preset", "describe_presets"]


@dataclass(frozen=True)
class Preset:
    """A sweep that ships with the package.

    Attributes:
        dataset, model: names of the members; those of its first trial.
        bases: trained once each, before the trials that begin at them.
        trials: points times seeds, bases not counted.
    """

    name: str
    description: str
    dataset: str
    model: str
    bases: int
    trials: int


def describe_presets() -> list[Preset]:
    """Every preset: points before images, small images before large ones, then by name. Looks at no data."""
    numbers: dict[str, int] = {}
    found = []
    for name in preset_names():
        preset, size = _described(name)
        numbers[preset.dataset] = min(size, numbers.get(preset.dataset, size))
        found.append(preset)
    return sorted(found, key=lambda p: (numbers[p.dataset], _natural(p.dataset), _natural(p.name)))


def _described(name: str) -> tuple[Preset, int]:
    """What the preset holds, and how many numbers make one of its samples."""
    sweep = load_sweep(name)
    first = _some_trials(sweep, 1)[0]
    members = first.dataset.name, first.model.name
    described = Preset(name, sweep.description.strip(), *members, _bases(sweep), _trials(sweep))
    return described, prod(first.dataset.shape)


def _natural(name: str) -> list[tuple[int, str]]:
    """gaussians-8 stands before gaussians-25."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.findall(r"\d+|\D+", name)]


def _some_trials(sweep: Sweep, points: int | None) -> list[TrialConfig]:
    with of_search(sweep.search):
        return [t for point in islice(sweep.search.probes(sweep.space), points) for t in sweep.repeats(point)]


def _bases(sweep: Sweep) -> int:
    """Distinct bases that the sweep itself describes."""
    if sweep.start is None or sweep.start.source != BASE:
        return 0
    return len({trial.start.base for trial in _some_trials(sweep, None) if trial.start is not None})


def _trials(sweep: Sweep) -> int:
    with of_search(sweep.search):
        reach = sweep.search.reach(sweep.space)
    bounds = (sweep.search.trials, None if reach is None else reach * len(sweep.seeds))
    return min(bound for bound in bounds if bound is not None)
