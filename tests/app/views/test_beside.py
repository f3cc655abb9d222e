"""Beside the front: the selected trial's numbers are its own, and those of its configuration."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from explorer.results.columns import Columns
from explorer.results.table import TrialTable
from explorer.store.schema import PLAIN
from tests.app.made_sweep import SCRIPT
from tests.app.running import html, run_part

pytestmark = pytest.mark.usefixtures("store")


def drawn(uri: str, table: TrialTable, trial: str | None, seeds: bool = False):
    def draw(uri, table, trial, seeds) -> None:
        import streamlit as st

        from app.view import View
        from app.views.beside import beside
        from app.wishes import pins
        from explorer.figures.front_marks import marks_of
        from explorer.results.columns import Columns
        from tests.app.scenes import scene_for

        scene = scene_for(Columns(table), View(sweep=table.sweep, budget=2.0), uri)
        marks = marks_of(scene.columns, scene.shown, scene.x, scene.y, (scene.at,), seeds)
        beside(scene, marks, trial)
        st.text(str(pins()))

    app = run_part(draw, uri=uri, table=table, trial=trial, seeds=seeds)
    assert not app.exception
    return app


@pytest.mark.parametrize("seeds", [True, False])
def test_what_the_points_are_comes_first(store_uri: str, table: TrialTable, seeds: bool) -> None:
    trial = table.trials[4]
    shown = html(drawn(store_uri, table, trial.id, seeds))
    same = [t.metrics["precision"] for t in table if t.point() == trial.point()]
    own, mean = f"{trial.metrics['precision']:.3f}", f"{np.mean(same):.3f} ± "
    if seeds:
        assert f"<td>{own}<small>{mean}" in shown
        assert f">{Columns(table).names[4]}</h2>" in shown
        assert f"{trial.id} · 3 seeds of this configuration" in shown
    else:
        middle = mean.removesuffix(" ± ")
        assert re.search(rf'<td title="this seed: {own}">{middle}<small>± \d\.\d{{3}}</small></td>', shown)
        assert f">{Columns(table).names[4].rpartition(' · seed')[0]}</h2>" in shown
        assert f"mean of 3 seeds · seed {trial.seed} is {trial.id}" in shown
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
