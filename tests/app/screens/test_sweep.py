"""The sweep page: how far it is, how its front grew, what failed, and the follow-up."""

from __future__ import annotations

import re

import pytest
import yaml
from streamlit.testing.v1 import AppTest

from app.wishes import KEY
from explorer.figures.chart import Chart
from explorer.sweep.document import load_sweep
from tests.app.made_sweep import EMPTY, HOSTILE_SWEEP, MADE, OLD, SCRIPT, TWIN, read_table
from tests.app.running import html
from tests.app.scenes import shown_screen

pytestmark = pytest.mark.usefixtures("store")


def shown(label: str = MADE, **wishes: object) -> AppTest:
    return shown_screen("sweep", label, **wishes)


def test_counts_and_seconds_are_those_of_the_sweep(store_uri: str, charts: dict[str, Chart]) -> None:
    text = re.sub(r"<[^>]+>", " ", html(shown()))
    table = read_table(store_uri)
    finished = len(table.finished())
    assert f"{finished} finished, 1 failed" in text
    assert "Training seconds" in text
    total = sum(t.metrics.get("train_seconds", 0) for t in table)
    assert f"{total:.0f}" in text


def test_the_replay_shows_the_front_of_the_first_trials(charts: dict[str, Chart]) -> None:
    app = shown()
    slider = next(one for one in app.slider if one.label.startswith("Replay"))
    assert len(charts["replay"].keys) == slider.max
    slider.set_value(3).run()
    assert not app.exception
    assert len(charts["replay"].keys) == 3
    assert charts["growth"].layers[-1].x[0] == 3


def test_a_replay_is_part_of_the_view_until_it_is_at_its_end(
    store_uri: str, charts: dict[str, Chart]
) -> None:
    app = shown(replay=2)
    slider = next(one for one in app.slider if one.label.startswith("Replay"))
    assert (slider.value, len(charts["replay"].keys)) == (2, 2)
    for value, wanted in ((3, 3), (slider.max, None)):
        next(one for one in app.slider if one.label.startswith("Replay")).set_value(value).run()
        assert app.session_state[KEY][store_uri][MADE].replay == wanted
    assert len(charts["replay"].keys) == slider.max
    shown(replay=10**6)
    assert len(charts["replay"].keys) == slider.max, "of a link to a sweep that had more"


def test_the_growth_can_go_along_time(charts: dict[str, Chart]) -> None:
    shown()
    assert charts["growth"].x.title.startswith("Trials")
    shown(times=True)
    assert charts["growth"].x.title.startswith("Time")


def test_failures_lead_to_their_trials(store_uri: str, charts: dict[str, Chart]) -> None:
    app = shown()
    text = html(app)
    assert "loss became &lt;b&gt;NaN&lt;/b&gt;" in text
    failed = next(t for t in read_table(store_uri) if t.status == "failed")
    button = next(b for b in app.button if failed.id in (b.key or ""))
    button.click().run()
    assert app.session_state[KEY][store_uri][MADE].trial == failed.id


def test_the_follow_up_is_a_sweep_and_comes_with_its_command(charts: dict[str, Chart], tmp_path) -> None:
    app = shown()
    text, command = (next(c.value for c in app.code if c.language == kind) for kind in ("yaml", "bash"))
    document = yaml.safe_load(text)
    assert document["name"] == f"{MADE}-fill"
    assert "objective.lam" in (
        document["space"] if isinstance(document["space"], dict) else document["space"][0]
    )
    file = tmp_path / "fill.yaml"
    file.write_text(text, encoding="utf-8")
    assert load_sweep(file).name == f"{MADE}-fill"
    assert command.startswith(f"tradeoff fill {MADE} --tracking-uri sqlite:///")
    assert " --from " in command
    assert f"tradeoff sweep {MADE}-fill.yaml" in command


def test_another_stretch_is_another_follow_up(charts: dict[str, Chart]) -> None:
    app = shown()
    before = next(c.value for c in app.code if c.language == "yaml")
    slider = next(one for one in app.slider if one.label.startswith("From"))
    slider.set_range(slider.min, slider.min + 0.5 * (slider.max - slider.min)).run()
    assert not app.exception
    assert next(c.value for c in app.code if c.language == "yaml") != before


def test_the_sweep_file_is_there_folded(charts: dict[str, Chart]) -> None:
    app = shown()
    assert any("sweep file" in one.label for one in app.expander)


@pytest.mark.parametrize("label", [EMPTY, OLD, TWIN + " @ another", HOSTILE_SWEEP])
def test_other_sweeps_have_their_page_too(label: str, charts: dict[str, Chart]) -> None:
    app = shown(label)
    assert SCRIPT not in html(app)


def test_an_empty_sweep_says_that_it_is(charts: dict[str, Chart]) -> None:
    assert "This sweep has no trials yet" in html(shown(EMPTY))
    assert not charts
