"""The app's part of the benchmark with a small sweep: every figure is measured, in the order of the clock."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from benchmarks.app_peers import Peer
from benchmarks.bench_app import PAGES, VISITS, Measured, bounds, finished, line, measure_app, peer_line
from tests.large_store import write_large

TRIALS = 150
DONE = [
    "means: budget slider",
    "means: click on a point",
    "means: filter",
    "single seeds: toggled",
    "single seeds: budget slider",
    "single seeds: click on a point",
    "single seeds: filter",
    "single seeds: range of λ",
    "single seeds: brush",
]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("store")
    write_large(folder, TRIALS)
    return folder / "mlflow.db"


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.timeout(600)
def test_every_visit_and_interaction_is_measured(browser: Browser, database: Path, tmp_path: Path) -> None:
    found = measure_app(browser, database, tmp_path, repeats=1)
    others = [told for name in PAGES for told in (f"to the page {name}", f"{name}: slider")]
    assert list(found) == [*VISITS, *DONE, *others]
    for name, seen in found.items():
        assert len(seen.drawn) == len(seen.whole) == len(seen.server) == 1, name
        assert 0 < seen.drawn[0] <= seen.whole[0], name
        assert 0 < seen.server[0] <= seen.whole[0], name


def test_bounds_leave_out_another_trial_each(database: Path) -> None:
    first, second = bounds(database, 2)
    assert first > second
    assert 0 < finished(database) <= TRIALS


def test_a_line_has_medians_and_maxima() -> None:
    told = line("new visit", Measured([1.0, 2.0, 6.0], [2.0, 3.0, 7.0], [0.5, 0.5, 0.75]))
    words = "new visit 2.00 s ( 6.00) 3.00 s ( 7.00) 0.50 s ( 0.75) wanted < 3 s"
    assert " ".join(told.split()) == words


def test_a_peer_is_told_as_a_multiple_of_ours_or_with_what_was_seen() -> None:
    assert "4.0x ours" in peer_line(Peer("slow", 8.0, 60, "6 plots"), 2.0)
    told = peer_line(Peer("stuck", None, 60, "the page says 'Loading'"), 2.0)
    assert told.endswith("nothing after 60 s: the page says 'Loading'")
