"""Refinements beside each other: the best row is marked."""

from __future__ import annotations

import re

import pytest

from explorer.figures.chart import Chart
from explorer.pareto import rank
from tests.app.made_sweep import TWO_METHODS, read_table
from tests.app.running import html, run_part
from tests.app.scenes import recorded

pytestmark = pytest.mark.usefixtures("store")


def part(label: str, wishes: dict) -> None:
    from app.views.budget_methods import methods_view
    from tests.app.scenes import scene_here

    methods_view(scene_here(label, wishes))


def test_the_reading_with_the_largest_hypervolume_is_marked(
    store_uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    charts: dict[str, Chart] = recorded(monkeypatch)
    app = run_part(part, label=TWO_METHODS, wishes={})
    assert not app.exception
    assert "refinements" in charts
    table = read_table(store_uri, TWO_METHODS)
    ats = {at for trial in table for at in trial.readings}
    best = max(ats, key=lambda at: rank(table, at).hypervolume)
    cells = re.findall(r"<td>([^<]*)</td>", html(app).split('class="on"')[1].split("</tr>")[0])
    assert cells[:2] == [best.method, f"{best.budget:g}"]
    assert float(cells[4]) == pytest.approx(rank(table, best).hypervolume, rel=1e-3)
