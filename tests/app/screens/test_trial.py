"""The page of a trial: found, walked along the front, told whole, whatever its artifacts hold."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explorer.figures.chart import Chart, Line, Points
from explorer.pareto import rank
from explorer.results.store import ResultStore
from explorer.results.table import Trial
from explorer.store.schema import CURVE_FILE, PICTURE_FILE, SAMPLES_FILE
from explorer.store.stop import Stop
from tests.app.made_sweep import BREAKOUT, ELSEWHERE, EMPTY, HOSTILE_SWEEP, MADE, OLD, SCRIPT, read_table
from tests.app.running import html
from tests.app.scenes import own_copy, shown_screen, write_artifact

pytestmark = pytest.mark.usefixtures("store")


def shown(label: str = MADE, **wishes: object) -> AppTest:
    return shown_screen("trial", label, **wishes)


def trial_of(app: AppTest) -> str:
    return re.findall(r"<code[^>]*>([^<]*)</code>", html(app))[0]


def named(layers: object, name: str) -> Points:
    return next(layer for layer in layers if getattr(layer, "name", "") == name)  # type: ignore[attr-defined]


def test_without_a_choice_a_trial_of_the_front_is_shown_and_the_buttons_walk_along_it(
    store_uri: str, charts: dict[str, Chart]
) -> None:
    table = read_table(store_uri)
    front = sorted(rank(table).front, key=lambda i: next(t for t in table if t.id == i).metrics["recall"])
    app = shown(x="recall")
    first = trial_of(app)
    assert first in front
    assert "on the front" in html(app)
    place = front.index(first)
    app.button(key=f"{MADE}|Next").click().run()
    assert trial_of(app) == front[place + 1]
    app.button(key=f"{MADE}|Previous").click().run()
    app.button(key=f"{MADE}|Previous").click().run()
    assert trial_of(app) == front[place - 1]
    end = shown(x="recall", trial=front[-1])
    assert end.button(key=f"{MADE}|Next").disabled
    assert not end.button(key=f"{MADE}|Previous").disabled


def test_a_trial_is_chosen_from_the_list(store_uri: str, charts: dict[str, Chart]) -> None:
    trials = read_table(store_uri).trials
    app = shown(trial=trials[0].id)
    (box,) = app.selectbox
    assert len(box.options) == len(trials), "failed ones too, the last and called so"
    assert [told.rpartition("   ")[2] == "failed" for told in box.options] == [False] * 26 + [True]
    box.set_value(trials[3].id).run()
    assert trial_of(app) == trials[3].id


def test_a_whole_trial_is_told(store_uri: str, charts: dict[str, Chart]) -> None:
    trial = read_table(store_uri).trials[0]
    app = shown(trial=trial.id)
    assert set(charts) == {"samples", "curve", "history"}
    assert len(named(charts["samples"].layers, "model").x) == 120
    text = html(app)
    assert "λ" in text.split("Config</p>")[1].split("</dl>")[0]
    assert "Metrics by budget" in text
    assert "How steep" in text
    assert "lie outside every real neighbourhood" in text
    codes = [code.value for code in app.code]
    assert f"tradeoff sweep repeat-{trial.id}.yaml" in codes
    assert any(
        code.startswith(f"tradeoff promote made {trial.id} --tracking-uri sqlite:///") for code in codes
    )
    assert any(code.startswith("tradeoff mlflow --tracking-uri sqlite:///") for code in codes)
    assert f"/#/experiments/1/runs/{trial.run_id}" in text
    assert not [b for b in app.button if b.label in ("Promote", "Undo promotion")], "the page only reads"


def test_samples_follow_the_reading_and_another_can_be_looked_at(
    store_uri: str, charts: dict[str, Chart]
) -> None:
    app = shown(trial=read_table(store_uri).trials[0].id, budget=2.0)
    assert len(named(charts["samples"].layers, "model").x) == 60
    chooser = app.get("segmented_control")[0]
    assert list(chooser.options) == ["K = 1", "K = 1.5", "K = 2", "K = 4"]
    chooser.set_value(4.0).run()
    assert len(named(charts["samples"].layers, "model").x) == 30
    assert len(named(charts["samples"].layers, "refused").x) == 90
    assert charts["samples"].subtitle == "30 samples at K = 4, 90 refused"


def test_a_trial_of_an_earlier_layout_and_one_from_elsewhere_are_shown(
    store_uri: str, charts: dict[str, Chart]
) -> None:
    old = shown(OLD)
    assert "No PR curve was stored" in html(old)
    assert "was evaluated once" in html(old)
    assert "were not stored" in html(old), "it has no witnesses"
    strange = shown(ELSEWHERE)
    assert "not_installed" in html(strange)
    assert any("model:\n  name: not_installed" in code.value for code in strange.code)


def test_a_sweep_without_trials_says_so(charts: dict[str, Chart]) -> None:
    assert "has no trials yet" in html(shown(EMPTY))
    assert not charts


def test_hostile_values_are_text(store_uri: str, charts: dict[str, Chart]) -> None:
    failed = next(t for t in read_table(store_uri, HOSTILE_SWEEP) if t.status == "failed")
    app = shown(HOSTILE_SWEEP, trial=failed.id, statuses=frozenset({"failed", "finished"}))
    assert failed.reason in [code.value for code in app.code]
    assert '<span class="tx-chip bad">failed</span>' in html(app)
    for text in (SCRIPT, BREAKOUT):
        assert text not in html(app)
    for trial in read_table(store_uri, HOSTILE_SWEEP):
        shown(HOSTILE_SWEEP, trial=trial.id)


@pytest.fixture
def changed(store_uri: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> tuple[str, Trial]:
    """A copy of the store to be changed, and a trial of it."""
    uri = own_copy(store_uri, monkeypatch, tmp_path)
    return uri, ResultStore(uri).table(MADE).trials[0]


def test_witnesses_refused_samples_and_curves_of_every_estimator_are_shown(
    changed: tuple[str, Trial], charts: dict[str, Chart]
) -> None:
    uri, trial = changed
    curve = {"lambda": [0.5, 1, 2], "precision": [0.4, 0.6, 0.8], "recall": [0.8, 0.6, 0.4]}
    listed = [
        {"name": n, "title": f"By {n}", "sentence": f"How {n} does it.", **curve} for n in ("knn", "prd")
    ]
    write_artifact(uri, trial, "curves.json", {"curves": listed})
    side = {"points": [[3.0, 3.0], [2.5, 3.0]], "excess": [1.0, 0.5]}
    raw = {"outside": {"share": 0.12, **side}, "missed": {"share": 0.0, "points": [], "excess": []}}
    write_artifact(uri, trial, "witnesses.json", {**raw, "features": "identity", "k": 3})
    points = [[0.0, 1.0]] * 5
    readings = [
        {"method": "none", "budget": 1, "points": points},
        {"method": "obrs", "budget": 2, "points": points[:2], "refused": points[:3]},
    ]
    write_artifact(uri, trial, SAMPLES_FILE, {"real": points, "readings": readings})
    app = shown(trial=trial.id)
    text = html(app)
    assert "12 % of its samples lie outside every real neighbourhood" in text
    assert "None of the real samples lies outside" in text
    assert "3rd nearest sample" in text
    assert len(named(charts["samples"].layers, "worst of the model").x) == 2
    lines = [layer.name for layer in charts["curve"].layers if isinstance(layer, Line)]
    assert lines == ["Exact", "By knn", "By prd"]
    assert "How prd does it." in text
    app.get("segmented_control")[0].set_value(2.0).run()
    names = [layer.name for layer in charts["samples"].layers]
    assert names == ["real", "refused", "model"], "the marks belong to the model as it is"
    app.get("segmented_control")[1].set_value("Refused").run()
    assert [layer.name for layer in charts["samples"].layers] == ["real", "refused"]


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"curves": 3, "outside": [], "readings": {}}', b"\xff\x00"]
)
def test_artifacts_that_are_cut_or_hostile_cost_no_more_than_themselves(
    changed: tuple[str, Trial], charts: dict[str, Chart], content: str | bytes
) -> None:
    uri, trial = changed
    for name in ("witnesses.json", "witnesses.png", "curves.json", CURVE_FILE, SAMPLES_FILE, PICTURE_FILE):
        write_artifact(uri, trial, name, content)
    app = shown(trial=trial.id)
    assert set(charts) == {"history"}
    assert not app.get("image")
    assert "No samples were stored for this trial that can be shown." in html(app)
    assert "No PR curve was stored" in html(app)


def test_a_picture_stands_in_for_samples_that_are_no_points(
    changed: tuple[str, Trial], charts: dict[str, Chart]
) -> None:
    uri, trial = changed
    write_artifact(uri, trial, SAMPLES_FILE, {})
    folder = Path(uri.removeprefix("sqlite:///")).parent / "artifacts" / trial.run_id / "artifacts"
    write_artifact(uri, trial, "witnesses.png", (folder / PICTURE_FILE).read_bytes())
    write_artifact(uri, trial, "witnesses.json", {"outside": {"share": 0.5}, "missed": {"share": 0.2}})
    app = shown(trial=trial.id)
    assert len(app.get("image")) == 2
    assert "50 % of its samples lie outside every real neighbourhood, which is what precision lacks." in html(
        app
    )


def test_promoting_is_offered_where_writing_is_allowed_and_can_be_undone(
    changed: tuple[str, Trial], charts: dict[str, Chart], monkeypatch: pytest.MonkeyPatch
) -> None:
    uri, trial = changed
    monkeypatch.setenv("TRADEOFF_WRITE", "1")
    app = shown(trial=trial.id)
    app.button(key=f"{MADE}|promote").click().run()
    assert not app.exception
    assert "promoted: champion since" in html(app)
    assert ResultStore(uri).whole_run(trial.run_id).tags["tradeoff.promoted"].startswith('{"tag": "champion"')
    app.button(key=f"{MADE}|promote").click().run()
    assert "promoted:" not in html(app)
    assert "tradeoff.promoted" not in ResultStore(uri).whole_run(trial.run_id).tags


def write_tag(uri: str, trial: Trial, key: str, value: str) -> None:
    with closing(sqlite3.connect(uri.removeprefix("sqlite:///"))) as link, link:
        link.execute("INSERT INTO tags (key, value, run_uuid) VALUES (?, ?, ?)", (key, value, trial.run_id))


def test_a_trial_that_a_stopper_ended_says_why(changed: tuple[str, Trial], charts: dict[str, Chart]) -> None:
    uri, trial = changed
    stop = Stop(2500, "x", f"collapsed: {BREAKOUT}")
    write_tag(uri, trial, "tradeoff.stopped", stop.text())
    app = shown(trial=trial.id)
    assert stop.words() in [code.value for code in app.code]
    assert '<span class="tx-chip">ended early</span>' in html(app)
    assert "Why it ended early" in html(app)


def test_a_finished_trial_whose_later_reading_failed_says_so(
    changed: tuple[str, Trial], charts: dict[str, Chart]
) -> None:
    uri, trial = changed
    write_tag(uri, trial, "tradeoff.reason", "no memory")
    app = shown(trial=trial.id)
    assert "a further reading failed: no memory" in [code.value for code in app.code]
    assert "What was not read" in html(app)
    assert "ended early" not in html(app)


def test_a_trial_is_pinned_and_unpinned(store_uri: str, charts: dict[str, Chart]) -> None:
    trial = read_table(store_uri).trials[0]
    app = shown(trial=trial.id)
    app.button(key=f"{MADE}|pin").click().run()
    assert app.session_state["pins"] == (f"{MADE}/{trial.id}",)
    assert [b.label for b in app.button if "ompare" in b.label] == ["Compare 1"]
    app.button(key=f"{MADE}|pin").click().run()
    assert app.session_state["pins"] == ()
    full = shown(trial=trial.id, pins=tuple(f"{MADE}/{i}" for i in range(6)))
    assert full.button(key=f"{MADE}|pin").disabled


def test_the_charts_themselves_can_be_drawn(store_uri: str) -> None:
    app = shown(trial=read_table(store_uri).trials[0].id)
    assert not np.any([element.type == "error" for element in app.main])
