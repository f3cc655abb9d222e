"""Quick picks are the best of the front."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.selection import quick_picks
from explorer.pareto import rank
from explorer.results.table import TrialTable
from explorer.store.schema import PLAIN, At
from tests.app.made_sweep import NEWER, SPARKLE, read_table


@pytest.mark.parametrize("at", [PLAIN, At("obrs", 4.0)])
def test_quick_picks_are_the_best_of_the_front(table: TrialTable, at: At) -> None:
    ranking = rank(table, at)
    picks = quick_picks(table, ranking.ranks, at)
    front = {t.id: t.at(at) for t in table if t.id in ranking.front}
    assert list(picks) == ["Sharp", "Balanced", "Diverse", "Low FID"]
    assert front[picks["Sharp"]]["precision"] == max(m["precision"] for m in front.values())
    assert front[picks["Diverse"]]["recall"] == max(m["recall"] for m in front.values())
    assert front[picks["Low FID"]]["fid"] == min(m["fid"] for m in front.values())

    def harmonic(metrics) -> float:
        return 2 / (1 / metrics["precision"] + 1 / metrics["recall"])

    assert harmonic(front[picks["Balanced"]]) == pytest.approx(max(map(harmonic, front.values())))
    assert quick_picks(table, {}, at) == {}


def test_other_goals_are_picked_by_the_sweeps_own_titles(store_uri: str) -> None:
    newer = read_table(store_uri, NEWER)
    ranks = rank(newer).ranks
    picks = quick_picks(newer, ranks, PLAIN)
    assert picks[f"Low {SPARKLE.title}"] == newer.trials[0].id
    high = replace(newer, goals=tuple(replace(goal, direction="max") for goal in newer.goals))
    everyone = dict.fromkeys(ranks, 0)
    assert quick_picks(high, everyone, PLAIN)[f"High {SPARKLE.title}"] == newer.trials[-1].id


def test_metrics_that_are_absent_are_best_of_nothing(table: TrialTable) -> None:
    bare = replace(table, trials=tuple(replace(t, readings={PLAIN: {"fid": 1.0}}) for t in table))
    assert list(quick_picks(bare, {t.id: 0 for t in bare}, PLAIN)) == ["Low FID"]
