"""The head of the page: which sweep, and its numbers at the reading shown."""

from __future__ import annotations

import re
from dataclasses import replace

from explorer.pareto import rank
from explorer.results.audit import audit_lambda
from explorer.results.table import TrialTable
from explorer.store.schema import PLAIN, At
from tests.app.made_sweep import HOSTILE_SWEEP, MADE, NEWER, SPARKLE, read_table
from tests.app.running import html, run_page, run_part
from tests.explorer.pareto.test_ranking import many_goals


def cards(whole: TrialTable, shown: TrialTable, at: At = PLAIN) -> dict[str, tuple[str, str]]:
    def draw(whole, shown, ranking, audit) -> None:
        from app.header import headline

        headline(whole, shown, ranking, audit)

    app = run_part(draw, whole=whole, shown=shown, ranking=rank(shown, at), audit=audit_lambda(shown, at))
    found = re.findall(r'<span class="tx-label">(.*?)</span><b>(.*?)</b><span>(.*?)</span>', html(app))
    return {label: (value, note) for label, value, note in found}


def test_headline_numbers_are_those_of_the_reading(table: TrialTable) -> None:
    shown, at = table.finished(), At("obrs", 2.0)
    ranking = rank(shown, at)
    found = cards(table, shown, at)
    assert found["Trials"] == ("26", "of 27, 1 failed")
    assert found["On the front"][0] == str(len(ranking.front))
    assert found["Hypervolume"] == (f"{ranking.hypervolume:.3g}", "3 objectives, K = 2")
    assert found["λ audit"][0].startswith("+0.9")
    best = min(t.readings[at]["fid"] for t in shown)
    assert found["Best FID"] == (f"{best:.3g}", "at K = 2")


def test_headline_of_everything_and_of_nothing(table: TrialTable) -> None:
    finished = table.finished()
    assert cards(finished, finished)["Trials"] == ("26", "all shown")
    nothing = cards(finished, replace(finished, trials=()))
    assert nothing["Trials"] == ("0", "of 26")
    assert nothing["On the front"] == ("0", "")
    assert nothing["Best FID"][0] == "–"


def test_best_is_told_of_what_is_to_be_small_under_the_sweeps_title(store_uri: str) -> None:
    newer = read_table(store_uri, NEWER)
    assert cards(newer, newer)[f"Best {SPARKLE.title}"] == ("2", "at K = 1")
    upwards = replace(newer, goals=newer.goals[:1])
    assert not any(label.startswith("Best") for label in cards(upwards, upwards))


def test_the_newest_sweep_is_chosen_and_its_description_stands_above(store: str) -> None:
    app = run_page()
    assert app.selectbox(key="sweep").value == MADE
    assert "Eight Gaussians" in html(app)
    app.selectbox(key="sweep").select(HOSTILE_SWEEP).run()
    assert not app.exception
    assert "&lt;script&gt;hacked=1&lt;/script&gt;" in html(app)
    assert "<script>" not in html(app)


def test_the_button_reads_the_store_again(store: str, monkeypatch) -> None:
    from explorer.results.store import ResultStore

    app = run_page()
    asked = []
    true = ResultStore.table
    monkeypatch.setattr(
        ResultStore, "table", lambda store, name, *place: asked.append(name) or true(store, name, *place)
    )
    app.run()
    assert asked == []
    app.button(key="refresh").click().run()
    assert asked == [MADE]


def test_a_hypervolume_that_is_left_out_says_why() -> None:
    many = many_goals(100, 8)
    told = "that of 100 trials under 8 objectives would take too long"
    assert cards(many, many)["Hypervolume"] == ("–", told)
