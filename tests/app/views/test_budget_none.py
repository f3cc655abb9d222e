"""A sweep without a refinement."""

from __future__ import annotations

import pytest

from explorer.sweep.document import load_sweep
from tests.app.made_sweep import MADE
from tests.app.running import html, run_part

pytestmark = pytest.mark.usefixtures("store")


def part(label: str, wishes: dict) -> None:
    from app.views.budget_none import no_budget
    from tests.app.scenes import scene_here

    no_budget(scene_here(label, wishes))


def test_the_line_it_shows_is_one_that_a_sweep_takes() -> None:
    app = run_part(part, label=MADE, wishes={})
    text = html(app)
    line = text.split("<pre>")[1].split("</pre>")[0]
    section = {"name": "obrs", "budgets": [1, 1.5, 2, 4]}
    assert line == "refinement: {name: obrs, budgets: [1, 1.5, 2, 4]}"
    assert load_sweep("demo", {"refinement": section}).plan.refinements
    assert f"tradeoff sweep {MADE}.yaml" in text
