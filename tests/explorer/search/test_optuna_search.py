"""A search by Optuna plans at random, learns in a study, and goes on after a restart with new points."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.search import Study
from explorer.search.nsga2 import Nsga2
from explorer.search.optuna_search import OptunaSearch
from explorer.search.points.optuna_source import OptunaSource
from explorer.search.points.source import RandomSource
from explorer.search.tpe import Tpe
from tests.explorer.search.spaces import wide


@pytest.mark.parametrize("member", [Tpe(trials=8, seed=3), Nsga2(trials=8, seed=3)], ids=lambda m: m.name)
def test_with_a_study_it_learns_and_without_it_plans(member: OptunaSearch, tmp_path: Path) -> None:
    assert member.learns
    study = Study(f"sqlite:///{tmp_path / 'studies.db'}", "one")
    assert isinstance(member.source(wide(), 8, None), RandomSource)
    first = member.source(wide(), 8, study)
    assert isinstance(first, OptunaSource)
    before = [asked.point for asked in first.ask(4)]
    again = [asked.point for asked in member.source(wide(), 8, study).ask(8)]
    assert again[:4] == before
    assert not any(point in before for point in again[4:])
