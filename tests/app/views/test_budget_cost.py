"""The cost of a sample, and a sweep whose readings cost the same."""

from __future__ import annotations

import pytest

from explorer.figures.chart import Chart
from tests.app.made_sweep import MADE, TWO_METHODS, configs, made, write_sweep
from tests.app.running import html, options, run_part
from tests.app.scenes import own_copy

pytestmark = pytest.mark.usefixtures("store")


def part(label: str, wishes: dict) -> None:
    from app.views.budget_cost import cost_view
    from tests.app.scenes import scene_here

    cost_view(scene_here(label, wishes))


def test_draws_and_calls_of_the_critic_can_be_the_cost(charts: dict[str, Chart]) -> None:
    app = run_part(part, label=TWO_METHODS, wishes={})
    assert not app.exception
    assert options(app, "Cost") == ["Calls of all kinds", "Draws per sample", "Critic calls per sample"]
    assert app.select_slider[0].value == 8.0
    app.selectbox[0].set_value("scores").run()
    assert not app.exception
    app.select_slider[0].set_value(0.0).run()
    assert not app.exception
    assert "0" in charts["equal cost"].title


def test_cost_and_limit_are_part_of_the_view(charts: dict[str, Chart]) -> None:
    app = run_part(part, label=TWO_METHODS, wishes={"cost": "scores", "limit": 1.5})
    assert not app.exception
    assert app.selectbox[0].value == "scores"
    offered = [float(one) for one in app.select_slider[0].options]
    assert app.select_slider[0].value == max(one for one in offered if one <= 1.5)
    app = run_part(part, label=TWO_METHODS, wishes={"cost": "<b>", "limit": 1e9})
    assert not app.exception
    assert (app.selectbox[0].value, app.select_slider[0].value) == ("calls", 8.0)


def test_the_limit_shown_is_marked_in_the_table(charts: dict[str, Chart]) -> None:
    app = run_part(part, label=MADE, wishes={})
    assert html(app).split('class="on"')[1].startswith("><td>8</td>")


def test_readings_that_cost_the_same_have_nothing_to_compare(
    store_uri: str, monkeypatch: pytest.MonkeyPatch, tmp_path, charts: dict[str, Chart]
) -> None:
    uri = own_copy(store_uri, monkeypatch, tmp_path)
    write_sweep(uri, "plain", [made(config, ()) for config in configs((0.1, 1.0), 1)])
    app = run_part(part, label="plain", wishes={})
    assert not app.exception
    assert "cost the same" in html(app)
    assert not charts
