"""Every registered figure has a name and a place, builds finite panels, and is drawn by a browser."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.errors import UserError
from explorer.reproduce import REPRODUCTIONS, Reproduction, panels, reproduction
from explorer.reproduce.page import page as page_of
from tests.explorer.reproduce.built import built

NAMES = [entry.name for entry in REPRODUCTIONS]


@pytest.mark.parametrize("name", NAMES)
def test_panels_hold_finite_data_and_say_what_they_show(name):
    for panel in built(name):
        assert len(panel.caption) > 40
        assert panel.figure.data or panel.figure.layout.images
        for trace in panel.figure.data:
            for values in (trace.x, trace.y, getattr(trace, "z", None)):
                assert values is None or np.isfinite(np.asarray(values, dtype=float)).all()


def test_names_are_unique_and_places_are_given():
    assert len(set(NAMES)) == len(NAMES)
    assert "all" not in NAMES
    assert all("page" in entry.place for entry in REPRODUCTIONS)
    wanted = {f"thesis-4.{i}" for i in range(1, 9)} | {"thesis-6.13", "thesis-6.15"}
    assert wanted <= set(NAMES)


def test_figures_come_by_their_numbers():
    thesis = [name for name in NAMES if name.startswith("thesis-4.")]
    assert thesis == sorted(thesis, key=lambda name: int(name.split(".")[1]))


def test_trained_models_are_read_from_a_store_and_asked_for_where_there_are_none(tmp_path):
    entry = Reproduction("a-1", "Someone, 2020", "Figure 1, page 2", "What it shows", list, sweep="demo")
    with pytest.raises(UserError, match=r"read from sweep 'demo'; run `tradeoff sweep demo` first"):
        panels(entry, tracking_uri=f"sqlite:///{tmp_path}/none.db")


def test_every_name_finds_its_figure():
    assert [reproduction(name).name for name in NAMES] == NAMES


@pytest.mark.parametrize(
    ("name", "hint"),
    [("thesis4.1", r"did you mean 'thesis-4\.1'\?"), ("zzzzzz", "`tradeoff reproduce` for the list")],
)
def test_an_unknown_name_is_the_users_to_mend(name, hint):
    with pytest.raises(UserError, match=f"no figure is called '{name}'; .*{hint}"):
        reproduction(name)


@pytest.mark.browser
def test_a_browser_draws_the_whole_page_from_one_file(tmp_path, page):
    target = tmp_path / "all.html"
    written = page_of([(entry, built(entry.name)) for entry in REPRODUCTIONS])
    target.write_text(written, encoding="utf-8")
    page.goto(target.as_uri())
    page.wait_for_selector(".js-plotly-plot .scatterlayer path")
    assert page.locator(".js-plotly-plot").count() == sum(len(built(name)) for name in NAMES)
    assert page.locator("p", has_text="page").count() >= len(NAMES)
