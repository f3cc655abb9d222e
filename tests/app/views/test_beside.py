"""Beside the front: the selected trial's numbers are its own, and those of its configuration."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from explorer.results.table import TrialTable
from explorer.store.schema import PLAIN
from tests.app.made_sweep import SCRIPT
from tests.app.running import html, run_part

pytestmark = pytest.mark.usefixtures("store")


def drawn(uri: str, table: TrialTable, trial: str | None):
    def draw(uri, table, trial) -> None:
        import streamlit as st

        from app.view import View
        from app.views.beside import beside
        from app.wishes import pins
        from explorer.figures.front_marks import marks_of
        from explorer.results.columns import Columns
        from tests.app.scenes import scene_for

        scene = scene_for(Columns(table), View(sweep=table.sweep, budget=2.0), uri)
        marks = marks_of(scene.columns, scene.shown, scene.x, scene.y, (scene.at,), False)
        beside(scene, marks, trial)
        st.text(str(pins()))

    app = run_part(draw, uri=uri, table=table, trial=trial)
    assert not app.exception
    return app


def test_numbers_are_the_trials_and_its_configurations(store_uri: str, table: TrialTable) -> None:
    trial = table.trials[4]
    shown = html(drawn(store_uri, table, trial.id))
    assert f"{trial.metrics['precision']:.3f}" in shown
    assert f"{trial.metrics['fid']:.3f}" in shown
    same = [t.metrics["precision"] for t in table if t.point() == trial.point()]
    assert f"{np.mean(same):.3f} ± " in shown
    assert f"{trial.id} · 3 seeds of this configuration" in shown
    assert "on the front" in shown or "rank" in shown
    assert '<tr class="on"><td>2</td>' in shown, "the reading shown is the bold one"


def test_a_trial_is_pinned_and_unpinned(store_uri: str, table: TrialTable) -> None:
    trial = table.trials[4].id
    app = drawn(store_uri, table, trial)
    app.button(key="pin").click().run()
    assert app.text[0].value == f"('made/{trial}',)"
    assert app.button(key="pin").label == "Unpin"
    app.button(key="pin").click().run()
    assert app.text[0].value == "()"


def test_nobody_selected_is_told_and_words_are_text(store_uri: str, table: TrialTable) -> None:
    assert "Click a point" in html(drawn(store_uri, table, None))
    odd = replace(
        table.trials[0],
        params={**table.trials[0].params, "objective.name": SCRIPT},
        readings={PLAIN: {**table.trials[0].metrics, "lam_starves": 1.0}},
    )
    shown = html(drawn(store_uri, replace(table, trials=(odd, *table.trials[1:])), odd.id))
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
    assert "λ starves" in shown
