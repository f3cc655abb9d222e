"""The page as a whole: every kind of sweep is shown, every mistake is a sentence, nothing of a user's is imported."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from app.ways import PAGES
from tests.app.made_sweep import ELSEWHERE, EMPTY, HOSTILE_SWEEP, MADE, NEWER, OLD, TWO_METHODS
from tests.app.running import MAIN, charts, html, places, query, run_page
from tests.hostile_stores import copy_store


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("sweep", [MADE, TWO_METHODS, NEWER, ELSEWHERE, OLD, HOSTILE_SWEEP])
def test_every_kind_of_sweep_is_shown(sweep: str) -> None:
    app = run_page(sweep=sweep)
    assert not app.exception
    assert not app.warning
    assert set(charts(app)) == {"front"}
    assert places(charts(app)["front"])
    assert len(app.dataframe) == 1
    assert query(app)["sweep"] == [sweep]


@pytest.mark.usefixtures("store")
def test_without_a_url_the_newest_sweep_is_shown() -> None:
    app = run_page()
    assert query(app) == {"sweep": [MADE]}
    assert not app.warning


@pytest.mark.usefixtures("store")
def test_a_url_is_restored_and_stays_as_it_is() -> None:
    asked = {
        "sweep": TWO_METHODS, "x": "coverage", "y": "density", "colour": "objective.lam", "k": "3",
        "method": "other", "paths": "1", "dominated": "0", "range.objective.lam": "0.1..1.0", "bound.fid": "90.0",
    }  # fmt: skip
    app = run_page(**asked)
    assert query(app) == {key: [value] for key, value in asked.items()}
    chart = charts(app)["front"]
    assert (chart["x"]["title"], chart["y"]["title"], chart["colour"]["title"]) == (
        "Coverage",
        "Density",
        "λ",
    )
    assert "K = 3, other" in chart["subtitle"]


@pytest.mark.usefixtures("store")
def test_unknown_values_of_a_url_are_told_while_their_sweep_is_shown() -> None:
    app = run_page(sweep=MADE, x="nope", method="nobody", k="0.5")
    told = [w.value for w in app.warning]
    assert len(told) == 3
    assert any("was not read through 'nobody'" in w for w in told)
    app.selectbox(key="sweep").select(OLD).run()
    assert not app.warning
    assert query(app) == {"sweep": [OLD]}


@pytest.mark.usefixtures("store")
def test_a_sweep_that_is_not_there_is_waited_for_and_another_can_be_looked_at() -> None:
    app = run_page(sweep="no such", x="density")
    assert "Waiting for this sweep" in html(app)
    assert charts(app) == {}
    assert query(app) == {"sweep": ["no such"], "x": ["density"]}, "the link stays what it is"
    app.button(key=f"instead {MADE}").click().run()
    assert "front" in charts(app)
    assert query(app) == {"sweep": [MADE]}


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("page", [page for page in PAGES if page != "front"])
@pytest.mark.parametrize("sweep", [MADE, TWO_METHODS, OLD, HOSTILE_SWEEP])
def test_every_page_shows_every_kind_of_sweep(page: str, sweep: str) -> None:
    app = run_page(page, sweep=sweep)
    assert not app.exception
    assert not app.error
    assert query(app)["sweep"] == [sweep]


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("page", list(PAGES))
def test_every_page_bears_a_sweep_without_trials(page: str) -> None:
    app = run_page(page, sweep=EMPTY)
    assert not app.exception
    assert not app.error


@pytest.mark.usefixtures("store")
def test_a_sweep_without_trials_says_so() -> None:
    app = run_page(sweep=EMPTY)
    assert "This sweep has no trials yet." in html(app)
    assert charts(app) == {}


@pytest.mark.usefixtures("store")
def test_filters_that_nobody_passes_are_told() -> None:
    app = run_page(sweep=MADE, **{"bound.precision": "2.0"})
    assert not app.exception
    assert "No trial passes the filters." in html(app)
    assert charts(app) == {}


def test_a_store_without_sweeps_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    app = run_page()
    assert "No sweeps yet" in html(app)
    assert not (tmp_path / "none.db").exists(), "looking makes no store"


def test_a_store_that_cannot_be_used_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "nonsense://**x**")
    app = run_page()
    assert not app.exception
    (error,) = app.error
    assert "a tracking store must be" in error.value
    assert r"\*\*x\*\*" in error.value


def test_a_store_that_fails_while_the_page_is_drawn_is_one_sentence(
    store_uri: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = copy_store(Path(store_uri.removeprefix("sqlite:///")).parent, tmp_path)
    with closing(sqlite3.connect(file)) as link, link:
        link.execute("ALTER TABLE metrics RENAME COLUMN value TO other")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{file}")
    app = run_page("trial", sweep=MADE)
    assert not app.exception
    (told,) = app.error
    assert "tracking store" in told.value
    assert "samples" in charts(app), "what was drawn before stays"


SCRIPT = f"""
import json, sys
from streamlit.testing.v1 import AppTest
for sweep in sys.argv[1:]:
    app = AppTest.from_file({str(MAIN)!r}, default_timeout=90)
    app.query_params["sweep"] = sweep
    app.run()
    heavy = ("torch", "ray", "optuna", "explorer.sweep", "explorer.launch", "brought")
    found = [name for name in heavy if name in sys.modules]
    print(json.dumps([[e.value for e in app.exception], len(app.get("bidi_component")), found]))
"""


@pytest.fixture(scope="module")
def looked_at(store_uri: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list]:
    """Sweeps looked at where a package that brings a metric is installed: exceptions, components and modules of each.

    Components are the figure and what keeps the browser's history.
    """
    folder = tmp_path_factory.mktemp("packages")
    package = folder / "brought-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: brought\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[tradeoff.metrics]\nbrought = brought:Brought\n")
    (folder / "brought.py").write_text("raise RuntimeError('a package of theirs was imported')\n")
    path = os.pathsep.join([str(folder), str(MAIN.parents[1])])
    environment = {**os.environ, "PYTHONPATH": path, "MLFLOW_TRACKING_URI": store_uri}
    sweeps = [ELSEWHERE, OLD]
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT, *sweeps],
        env=environment,
        capture_output=True,
        text=True,
        timeout=200,
        check=True,
    )
    lines = [line for line in ran.stdout.splitlines() if line.startswith("[[")]
    return dict(zip(sweeps, map(json.loads, lines), strict=True))


@pytest.mark.parametrize(("sweep", "drawn"), [(ELSEWHERE, 2), (OLD, 2)])
def test_looking_imports_no_package_of_others(looked_at: dict[str, list], sweep: str, drawn: int) -> None:
    assert looked_at[sweep] == [[], drawn, []]


@pytest.mark.parametrize("named", ["sqlite:///{}/none.db", "sqlite:///{}", "ftp://{}", "{}"])
def test_a_store_that_cannot_be_read_is_told(
    named: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", named.format(tmp_path))
    app = run_page()
    assert not app.exception
    (told,) = app.error
    assert "store" in told.value
    assert "No sweeps yet" not in html(app)


def test_a_home_that_cannot_be_made_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "file" / "home"))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    app = run_page()
    assert not app.exception
    (told,) = app.error
    assert "cannot be made" in told.value


def test_a_place_that_does_not_answer_can_be_left_from_every_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:9")
    monkeypatch.setenv("TRADEOFF_HOST", "127.0.0.1")
    for page in ("front", "data"):
        app = run_page(page)
        assert not app.exception
        assert len(app.error) == 1
        assert [field.label for field in app.text_input] == ["Address"]


def test_a_sweep_that_is_gone_does_not_take_the_one_that_is_shown_away(store: str) -> None:
    app = run_page()
    app.selectbox(key="sweep").select(OLD).run()
    asked = f"asked|{store}"
    view, complaints, named = app.session_state[asked]
    app.session_state[asked] = replace(view, sweep="deleted since"), complaints, named
    app.run()
    assert query(app)["sweep"] == [OLD]
    assert "Waiting" not in html(app)


@pytest.mark.usefixtures("store")
def test_the_url_is_written_once() -> None:
    app = run_page(sweep=MADE, status="failed", goal="precision:max")
    app.run()
    assert query(app) == {"sweep": [MADE], "status": ["failed"], "goal": ["precision:max"]}
