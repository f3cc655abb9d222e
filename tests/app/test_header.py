"""The head of the page: which sweep, and its numbers at the reading shown."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from explorer.goals import parse_goals
from explorer.pareto import rank
from explorer.results.table import TrialTable
from explorer.store.schema import PLAIN, At
from tests.app.made_sweep import HOSTILE_SWEEP, MADE, NEWER, SPARKLE, read_table
from tests.app.running import html, run_page, run_part
from tests.explorer.pareto.test_ranking import many_goals


def cards(table: TrialTable, at: At = PLAIN, seeds: bool = True) -> dict[str, tuple[str, str]]:
    def draw(table, at, seeds) -> None:
        from app.header import headline
        from app.view import View
        from explorer.figures.front_marks import marks_of
        from explorer.results.columns import Columns
        from tests.app.scenes import scene_for

        scene = scene_for(Columns(table), View(budget=at.budget))
        headline(scene, marks_of(scene.columns, scene.shown, scene.x, scene.y, (scene.at,), seeds))

    app = run_part(draw, table=table, at=at, seeds=seeds)
    assert not app.exception
    found = re.findall(r'<span class="tx-label">(.*?)</span><b>(.*?)</b><span>(.*?)</span>', html(app))
    return {label: (value, note) for label, value, note in found}


def test_headline_numbers_are_those_of_the_reading(table: TrialTable) -> None:
    at = At("obrs", 2.0)
    ranking = rank(table.finished(), at)
    found = cards(table, at)
    assert found["Trials"] == ("26", "of 27, 1 failed")
    assert found["On the front"] == (str(len(ranking.front)), "of 26 trials")
    assert found["Hypervolume"] == (f"{ranking.hypervolume:.3g}", "precision, recall, FID, K = 2")
    best = min(table.finished(), key=lambda t: t.readings[at]["fid"])
    assert found["Best FID"][0] == f"{best.readings[at]['fid']:.3g}"
    assert f"seed {best.seed}" in found["Best FID"][1]


def test_means_have_a_headline_of_their_own(table: TrialTable) -> None:
    found = cards(table, seeds=False)
    assert found["On the front"][1] == "of 9 configurations"
    means = [
        np.mean([t.metrics["fid"] for t in table.finished() if t.point() == point])
        for point in {t.point() for t in table.finished()}
    ]
    assert found["Best FID"][0] == f"{min(means):.3g}"


def test_headline_of_everything_and_of_nothing(table: TrialTable) -> None:
    finished = table.finished()
    assert cards(finished)["Trials"] == ("26", "all shown")
    nothing = cards(replace(finished, trials=tuple(replace(t, status="killed") for t in finished)))
    assert nothing["Trials"] == ("0", "of 26")
    assert nothing["On the front"] == ("0", "of 0 trials")
    assert "Best FID" not in nothing


def test_best_is_told_of_what_is_to_be_small_under_the_sweeps_title(store_uri: str) -> None:
    newer = read_table(store_uri, NEWER)
    assert cards(newer)[f"Best {SPARKLE.title}"][0] == "2"
    upwards = replace(newer, goals=parse_goals({"recall": "max"}))
    assert not any(label.startswith("Best") for label in cards(upwards))


@pytest.mark.usefixtures("store")
def test_the_newest_sweep_is_chosen_and_its_description_stands_above() -> None:
    app = run_page()
    assert app.selectbox(key="sweep").value == MADE
    assert "Eight Gaussians" in html(app)
    app.selectbox(key="sweep").select(HOSTILE_SWEEP).run()
    assert not app.exception
    assert "&lt;script&gt;hacked=1&lt;/script&gt;" in html(app)
    assert "<script>" not in html(app)


def test_a_hypervolume_that_would_take_too_long_is_left_out() -> None:
    assert cards(many_goals(100, 8))["Hypervolume"][0] == "–"


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("page", ["front", "audit"])
def test_every_page_can_be_saved(page: str) -> None:
    buttons = {b.proto.label for b in run_page(page, sweep=MADE).get("download_button")}
    assert "Save this page" in buttons
