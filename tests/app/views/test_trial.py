"""One trial: its samples at the reading shown, its numbers at every budget, its config, and why it failed."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from explorer.results.table import Trial
from explorer.store.schema import CURVE_FILE, PICTURE_FILE, SAMPLES_FILE, At
from explorer.store.stop import Stop
from tests.app.made_sweep import (
    BREAKOUT,
    ELSEWHERE,
    HOSTILE_SWEEP,
    MADE,
    NEWER,
    OLD,
    SPARKLE,
    TWO_METHODS,
    read_table,
)
from tests.app.running import figures, html, length, query, run_page
from tests.hostile_stores import copy_store

pytestmark = pytest.mark.usefixtures("store")


def first(uri: str, sweep: str) -> Trial:
    return read_table(uri, sweep).trials[0]


def metrics_table(shown: str) -> list[list[str]]:
    """Cells of the table of metrics by budget."""
    table = shown.split('<table class="tx-table">')[1].split("</table>")[0]
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in table.split("<tr")[1:]]


def model_points(app) -> int:
    return length(next(t for t in figures(app)["samples"]["data"] if t["name"] == "model")["x"])


def test_metrics_are_told_at_every_budget_and_the_one_shown_is_marked(store_uri: str) -> None:
    trial = first(store_uri, MADE)
    shown = html(run_page(sweep=MADE, trial=trial.id, k="2"))
    head, *rows = metrics_table(shown)
    assert head == ["K", "Precision", "Recall", "FID", "Acceptance"]
    assert [row[0] for row in rows] == ["1", "1.5", "2", "4"]
    at = At("obrs", 2.0)
    assert rows[2][1:] == [
        f"{trial.readings[at][m]:.3f}" for m in ("precision", "recall", "fid", "acceptance")
    ]
    assert f'<tr class="on"><td>2</td><td>{trial.readings[at]["precision"]:.3f}</td>' in shown


def test_how_steep_its_networks_are_is_told_and_what_is_not_certified(store_uri: str) -> None:
    shown = html(run_page(sweep=MADE, trial=first(store_uri, MADE).id))
    told = dict(
        re.findall(r"<dt>([^<]*)</dt><dd>([^<]*)</dd>", shown.split("How steep")[1].split("</dl>")[0])
    )
    assert told == {
        "Lipschitz bound": "2",
        "Slope seen": "1.25",
        "Lipschitz bound of G": "not certified",
        "Slope of G seen": "3.5",
    }


def test_metrics_are_those_of_the_method_chosen(store_uri: str) -> None:
    trial = first(store_uri, TWO_METHODS)
    app = run_page(sweep=TWO_METHODS, trial=trial.id, method="other", k="3")
    _, *rows = metrics_table(html(app))
    assert [row[0] for row in rows] == ["1", "2", "3"]
    assert rows[2][1] == f"{trial.readings[At('other', 3.0)]['precision']:.3f}"
    assert model_points(app) == 40
    assert "K = 3, other" in figures(app)["samples"]["layout"]["title"]["subtitle"]["text"]


def test_samples_are_those_of_the_reading_and_another_can_be_looked_at(store_uri: str) -> None:
    app = run_page(sweep=MADE, trial=first(store_uri, MADE).id)
    assert model_points(app) == 120
    (chooser,) = app.get("segmented_control")
    assert list(chooser.options) == ["K = 1", "K = 1.5", "K = 2", "K = 4"]
    assert chooser.value == 1.0
    chooser.set_value(4.0).run()
    assert not app.exception
    assert model_points(app) == 30
    assert "k" not in query(app), "the front stays where it is"
    app.select_slider(key=f"{MADE}|budget").set_value(2.0).run()
    assert model_points(app) == 60


def test_samples_and_budgets_of_layout_1_are_shown(store_uri: str) -> None:
    app = run_page(sweep=OLD, trial=first(store_uri, OLD).id, k="2")
    assert not app.exception
    assert model_points(app) == 20
    _, *rows = metrics_table(html(app))
    assert [row[0] for row in rows] == ["1", "2", "4"]
    assert rows[1][1] == "0.750"
    assert "No PR curve was stored" in html(app)
    assert "was evaluated once" in html(app)


def test_curve_and_history_are_drawn(store_uri: str) -> None:
    app = run_page(sweep=MADE, trial=first(store_uri, MADE).id)
    shown = figures(app)
    assert len(shown["curve"]["data"][0]["x"]) == 60
    assert [t["name"] for t in shown["history"]["data"]] == ["Precision", "Recall", "FID →"]
    assert shown["history"]["data"][0]["x"] == [1000, 2500, 4000]


def test_the_history_of_a_metric_unknown_to_the_code_has_its_title(store_uri: str) -> None:
    app = run_page(sweep=NEWER, trial=first(store_uri, NEWER).id)
    assert SPARKLE.title in {t["name"].removesuffix(" →") for t in figures(app)["history"]["data"]}
    assert SPARKLE.title in metrics_table(html(app))[0]


def test_a_trial_of_a_module_that_is_not_here_is_shown_whole(store_uri: str) -> None:
    app = run_page(sweep=ELSEWHERE, trial=first(store_uri, ELSEWHERE).id)
    assert not app.exception
    assert "<dt>model.name</dt><dd>not_installed</dd>" in html(app)
    assert "<dt>dataset.name</dt><dd>their_data</dd>" in html(app)
    assert {"samples", "curve", "history"} <= set(figures(app))


def test_a_failed_trial_says_why(store_uri: str) -> None:
    (failed,) = (t for t in read_table(store_uri, HOSTILE_SWEEP) if t.status == "failed")
    app = run_page(sweep=HOSTILE_SWEEP, trial=failed.id, status=["failed", "finished"])
    assert [code.value for code in app.code] == [failed.reason]
    assert failed.reason.startswith(BREAKOUT)
    assert '<span class="tx-chip bad">failed</span>' in html(app)
    assert "No samples were stored" in html(app)


def test_varying_parameters_come_first(store_uri: str) -> None:
    shown = html(run_page(sweep=MADE, trial=first(store_uri, MADE).id))
    names = re.findall("<dt>(.*?)</dt>", shown.split("Config</p>")[1].split("</dl>")[0])
    assert names[:3] == ["λ", "objective.name", "seed"]
    assert names[3:] == sorted(names[3:])
    assert set(first(store_uri, MADE).params) == {"objective.lam", *names} - {"λ"}


def test_without_a_choice_the_balanced_trial_is_shown_and_a_pick_goes_into_the_url() -> None:
    app = run_page(sweep=MADE)
    assert "trial" not in query(app)
    assert [b.label for b in app.button if (b.key or "").startswith("pick")] == [
        "Sharp",
        "Balanced",
        "Diverse",
        "Low FID",
    ]
    app.button(key="pick Sharp").click().run()
    (identity,) = query(app)["trial"]
    assert f"Trial <code>{identity}</code>" in html(app)
    assert "on the front" in html(app)


@pytest.fixture
def own_store(store_uri: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A copy of the store, to be changed, as the one that a page reads."""
    file = copy_store(Path(store_uri.removeprefix("sqlite:///")).parent, tmp_path)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{file}")
    return tmp_path


def artifact(folder: Path, trial: Trial, name: str) -> Path:
    (found,) = folder.glob(f"artifacts/{trial.run_id}/artifacts/{name}")
    return found


def test_a_picture_stands_in_for_samples_that_cannot_be_drawn(own_store: Path) -> None:
    trial = first(f"sqlite:///{own_store}/mlflow.db", MADE)
    artifact(own_store, trial, SAMPLES_FILE).write_text("{}")
    artifact(own_store, trial, CURVE_FILE).unlink()
    app = run_page(sweep=MADE, trial=trial.id)
    assert len(app.get("image")) == 1
    assert not {"samples", "curve"} & set(figures(app))


def test_a_picture_that_is_none_is_a_sentence(own_store: Path) -> None:
    trial = first(f"sqlite:///{own_store}/mlflow.db", MADE)
    artifact(own_store, trial, SAMPLES_FILE).unlink()
    picture = artifact(own_store, trial, PICTURE_FILE)
    picture.write_bytes(picture.read_bytes()[:500])
    app = run_page(sweep=MADE, trial=trial.id)
    assert not app.exception
    assert not app.get("image")
    assert "No samples were stored for this trial that can be shown." in html(app)
    assert {"front", "curve", "history"} <= set(figures(app)), "all else is shown"


def test_a_trial_that_a_stopper_ended_says_why(own_store: Path) -> None:
    trial = first(f"sqlite:///{own_store}/mlflow.db", MADE)
    stop = Stop(2500, "x", f"collapsed: {BREAKOUT}")
    with closing(sqlite3.connect(own_store / "mlflow.db")) as link, link:
        link.execute("INSERT INTO tags VALUES (?, ?, ?)", ("tradeoff.stopped", stop.text(), trial.run_id))
    app = run_page(sweep=MADE, trial=trial.id)
    assert [code.value for code in app.code] == [stop.words()]
    assert '<span class="tx-chip">ended early</span>' in html(app)
    assert "Why it ended early" in html(app)
    other = html(
        run_page(sweep=MADE, trial=read_table(f"sqlite:///{own_store}/mlflow.db", MADE).trials[1].id)
    )
    assert "ended early" not in other


def test_a_finished_trial_whose_later_reading_failed_says_that_it_was_not_read(own_store: Path) -> None:
    trial = first(f"sqlite:///{own_store}/mlflow.db", MADE)
    with closing(sqlite3.connect(own_store / "mlflow.db")) as link, link:
        link.execute("INSERT INTO tags VALUES (?, ?, ?)", ("tradeoff.reason", "no memory", trial.run_id))
    app = run_page(sweep=MADE, trial=trial.id)
    assert [code.value for code in app.code] == ["a further reading failed: no memory"]
    assert "What was not read" in html(app)
    assert not any(words in html(app) for words in ("Why it failed", "ended early"))
