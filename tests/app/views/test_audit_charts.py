"""The audit's charts: a click chooses a trial, a setting is chosen, ceilings are listed where there are some."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from explorer.figures.chart import Chart
from explorer.results.columns import Columns
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN
from tests.app.made_sweep import MADE
from tests.app.running import html, run_part

pytestmark = pytest.mark.usefixtures("store")

Drawn = dict[str, tuple[Chart, Callable[[str], None] | None]]


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Drawn:
    from app.views import audit_charts

    found: Drawn = {}

    def chart(spec: Chart, key: str, on_pick: Any = None, **_: Any) -> None:
        found[key] = spec, on_pick

    monkeypatch.setattr(audit_charts, "chart", chart)
    return found


def page(views: tuple, wishes: dict, changed: object) -> None:
    from dataclasses import replace

    import numpy as np

    from app.views import audit_charts
    from explorer.results.audit import audit_lambda
    from tests.app.scenes import scene_here

    scene = scene_here("made", wishes)
    if changed is not None:
        scene = replace(scene, columns=changed, kept=np.ones(len(changed), dtype=bool))
    audit = audit_lambda(scene.columns, scene.at, scene.kept)
    for view in views:
        getattr(audit_charts, view)(*((scene,) if view == "ceiling_view" else (scene, audit)))


def run(*views: str, changed: TrialTable | None = None, **wishes: Any) -> AppTest:
    columns = None if changed is None else Columns(changed)
    app = run_part(page, views=views, wishes=wishes, changed=columns)
    assert not app.exception
    return app


def test_a_click_chooses_a_trial_and_a_button_leads_to_it(table: TrialTable, drawn: Drawn) -> None:
    assert MADE == "made"
    identity = next(t.id for t in table if "objective.lam" in t.params)
    app = run("lambda_view", trial=identity)
    spec, on_pick = drawn["audit lambda"]
    assert spec.selected == (identity,)
    assert on_pick is not None
    app.button(key="audit open").click().run()
    assert app.session_state["go to"] == "trial"
    drawn.clear()
    app = run("lambda_view")
    assert not app.button


def test_own_lambda_and_tangents_need_curves(table: TrialTable, drawn: Drawn) -> None:
    run("own_lambda_view", "tangent_view")
    assert set(drawn) == {"audit own", "audit tangents"}
    drawn.clear()
    blind = replace(table, trials=tuple(replace(trial, alphas=()) for trial in table))
    app = run("own_lambda_view", "tangent_view", changed=blind)
    assert not drawn
    assert "cannot be compared at their own λ" in html(app)


def test_tangents_are_those_of_the_setting_chosen(table: TrialTable, drawn: Drawn) -> None:
    trials = tuple(
        replace(trial, id=f"{trial.id}{word}", params={**trial.params, "note": word})
        for trial in table
        for word in ("a", "b")
    )
    app = run("tangent_view", changed=replace(table, trials=trials))
    assert "note a" in drawn["audit tangents"][0].subtitle
    app.selectbox[0].set_value(1).run()
    assert "note b" in drawn["audit tangents"][0].subtitle


def capped(trial: Trial) -> Trial:
    lam = float(trial.params.get("objective.lam", 1.0))  # type: ignore[arg-type]
    told = {"generator_lipschitz": 4.0, "ceiling_alpha": 0.9, "ceiling_own": 0.95 * min(1.0, lam)}
    return replace(trial, readings={**trial.readings, PLAIN: {**trial.metrics, **told}})


def test_ceilings_are_listed_where_there_are_some(table: TrialTable, drawn: Drawn) -> None:
    app = run("ceiling_view")
    assert not drawn
    assert "No Lipschitz ceiling is known here" in html(app)
    app = run("ceiling_view", changed=replace(table, trials=tuple(map(capped, table))))
    spec, on_pick = drawn["audit ceiling"]
    assert set(spec.keys) == {trial.id for trial in table.finished()}
    assert on_pick is not None
    assert "Nearest to its ceiling" in html(app)
    assert "caps" in html(app)
