"""Curves of pinned trials are drawn by one estimator where all have it, and it is said where they have not."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.figures.chart import Chart, Line
from explorer.results.store import ResultStore
from tests.app.made_sweep import MADE, OLD
from tests.app.running import html, run_part
from tests.app.scenes import own_copy, recorded, write_artifact

CURVE = {"lambda": [0.5, 1, 2], "precision": [0.4, 0.6, 0.8], "recall": [0.8, 0.6, 0.4]}


def page(label: str, pins: list[str]) -> None:
    from app.views.compare_charts import curves_overlaid, histories_overlaid, samples_beside
    from app.views.compare_trials import found_pins
    from tests.app.scenes import scene_here

    scene = scene_here(label, {"pins": tuple(pins)})
    pinned, _ = found_pins(scene)
    curves_overlaid(scene, pinned)
    histories_overlaid(scene, pinned)
    samples_beside(scene, pinned, scene.at)


def test_estimators_that_all_have_can_be_chosen(
    store_uri: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    uri = own_copy(store_uri, monkeypatch, tmp_path)
    charts: dict[str, Chart] = recorded(monkeypatch)
    one, other, third = ResultStore(uri).table(MADE).trials[:3]
    for trial in (one, other):
        listed = [{"name": n, "title": n.upper(), **CURVE} for n in ("knn", "prd")]
        write_artifact(uri, trial, "curves.json", {"curves": listed})
    app = run_part(page, label=MADE, pins=[f"{MADE}/{one.id}", f"{MADE}/{other.id}"])
    assert not app.exception
    (chooser,) = app.get("segmented_control")
    assert list(chooser.options) == ["Exact", "KNN", "PRD"]
    chooser.set_value("prd").run()
    lines = [layer for layer in charts["curves"].layers if isinstance(layer, Line)]
    assert [len(line.x) for line in lines] == [3, 3]
    write_artifact(uri, third, "curves.json", {})
    write_artifact(uri, third, "curve.json", {**CURVE, "source": "neighbours"})
    app = run_part(page, label=MADE, pins=[f"{MADE}/{one.id}", f"{MADE}/{third.id}"])
    assert "different estimators" in html(app)


@pytest.mark.usefixtures("store")
def test_trials_without_curves_and_histories_are_told(
    store_uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    charts = recorded(monkeypatch)
    old = ResultStore(store_uri).table(OLD).trials
    app = run_part(page, label=OLD, pins=[f"{OLD}/{trial.id}" for trial in old[:2]])
    assert not app.exception
    assert "No PR curve was stored for these trials" in html(app)
    assert "evaluated once" in html(app)
    assert all(key.startswith("samples ") for key in charts)
    made = ResultStore(store_uri).table(MADE).trials[0]
    app = run_part(page, label=OLD, pins=[f"{OLD}/{old[0].id}", f"{MADE}/{made.id}"])
    assert "Without a curve: old: " in html(app)
