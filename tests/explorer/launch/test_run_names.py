"""A run is called by what varies in its sweep, the same however the search came to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from explorer.launch.run_names import run_names, varied_paths
from explorer.portrait.names import LONGEST
from explorer.sweep import load_sweep
from tests.explorer.launch.small import configs, small_sweep


def names(folder: Path, **changes: Any) -> list[str]:
    sweep = small_sweep(folder, **changes)
    name = run_names(sweep)
    return [name(config.params()) for config in configs(sweep).values()]


def test_what_varies_is_named(tmp_path: Path) -> None:
    assert names(tmp_path) == ["lam 1", "lam 5"]
    assert names(tmp_path, seeds=2) == ["lam 1, seed 0", "lam 1, seed 1", "lam 5, seed 0", "lam 5, seed 1"]


def test_boxes_name_what_only_some_points_have(tmp_path: Path) -> None:
    space = [{"objective.name": ["pr"], "objective.lam": [0.5]}, {"objective.name": ["kl", "gan"]}]
    assert names(tmp_path, space=space) == ["lam 0.5, pr", "kl", "gan"]


def test_a_whole_section_is_named_by_its_fields(tmp_path: Path) -> None:
    space = {"constraint": [{"name": "none"}, {"name": "spectral", "lipschitz": 2}]}
    assert names(tmp_path, space=space) == ["no constraint", "spectral, L 2"]


def test_where_nothing_varies_there_is_no_name(tmp_path: Path) -> None:
    assert names(tmp_path, space={"objective.lam": [2]}) == [""]
    assert varied_paths(small_sweep(tmp_path, space={"objective.lam": [2]})) == set()


@pytest.mark.parametrize("preset", ["demo", "gaussians-8-lipschitz", "digits-gan"])
def test_names_of_a_grid_are_unique_and_can_be_typed(preset: str) -> None:
    sweep = load_sweep(preset)
    name = run_names(sweep)
    found = [name(c.params()) for point in sweep.space.grid() for c in sweep.repeats(point)]
    assert len(set(found)) == len(found)
    assert all(one.isascii() and 0 < len(one) <= LONGEST for one in found)


def test_a_base_is_called_one() -> None:
    sweep = load_sweep("digits-gan")
    config = next(iter(sweep.repeats(next(sweep.space.grid()))))
    bare = {path: value for path, value in config.params().items() if not path.startswith("start.")}
    assert run_names(sweep)(bare).startswith("base, ")


def test_an_interval_is_named_by_what_was_drawn(tmp_path: Path) -> None:
    sweep = small_sweep(
        tmp_path, space={"objective.lam": {"log_range": [0.1, 10]}}, search={"name": "random", "trials": 2}
    )
    config = sweep.trial({"objective.lam": 0.123456}, 0)
    assert run_names(sweep)(config.params()) == "lam 0.1235"
