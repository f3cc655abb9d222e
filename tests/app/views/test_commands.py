"""Commands lead to the store and the sweep shown."""

from __future__ import annotations

from dataclasses import replace

from app.views.commands import sweep_options
from explorer.results.columns import Columns
from explorer.results.table import TrialTable
from tests.app.scenes import scene_for


def test_a_name_in_two_experiments_is_told_apart(table: TrialTable) -> None:
    scene = scene_for(Columns(table), uri="http://host:5000")
    assert sweep_options(scene) == " --tracking-uri http://host:5000"
    twin = replace(
        scene, label=f"{scene.label} @ other lab", info=replace(scene.info, experiment="other lab")
    )
    assert sweep_options(twin) == " --tracking-uri http://host:5000 --experiment 'other lab'"
