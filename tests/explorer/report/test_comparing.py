"""The page of a comparison of a real store: all parts, text as text, nothing fetched, no wider than a phone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from explorer.comparison import compare_sides, open_sides
from explorer.report.comparing import write_comparison
from explorer.results.store import ResultStore
from tests.app.made_sweep import HOSTILE_SWEEP, MADE, configs, made, write_sweep
from tests.stores import empty_store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> ResultStore:
    uri = empty_store(tmp_path_factory.mktemp("store"))
    write_sweep(uri, MADE, [made(config) for config in configs((0.1, 10.0), 3)[:6]])
    hostile = {"note": "<img src=x onerror='window.hacked = 1'>"}
    write_sweep(uri, HOSTILE_SWEEP, [made(configs((0.3,), 1)[0], params=hostile)])
    return ResultStore(uri)


def page(
    store: ResultStore, runs: list[str], folder: Path, budget: float = 1, metrics: list[str] | None = None
) -> str:
    path = folder / "page.html"
    write_comparison(store, compare_sides(open_sides(store, runs), budget, metrics=metrics), path)
    return path.read_text(encoding="utf-8")


def ids(store: ResultStore, sweep: str = MADE) -> list[str]:
    return [trial.id for trial in store.table(sweep)]


def test_the_page_has_all_parts_and_commands_that_name_the_store(store: ResultStore, tmp_path: Path) -> None:
    first, other = ids(store)[0], ids(store)[3]
    html = page(store, [f"{MADE}/{first}", f"{MADE}/{other}"], tmp_path, 2)
    headings = re.findall(r"<h2>(.*?)</h2>", html)
    assert headings == [
        "Metrics",
        "What differs",
        "Their whole trade-off",
        "How they got there",
        "Samples side by side",
        "What they cost",
        "Once more",
    ]
    assert "λ 0.1 · seed 0 against λ 10 · seed 0" in html
    assert "3 seeds, K = 2, obrs" in html
    assert re.search(r"tradeoff compare \w{32} \w{32} --budget 2 --method obrs --tracking-uri", html)
    assert f"tradeoff sweep repeat-{first}.yaml" in html
    assert "default-src &#39;none&#39;" in html or "default-src 'none'" in html


def test_the_command_asks_for_the_metrics_that_were_asked_for(store: ResultStore, tmp_path: Path) -> None:
    first, other = ids(store)[0], ids(store)[3]
    html = page(store, [f"{MADE}/{first}", f"{MADE}/{other}"], tmp_path, 1, ["recall", "precision"])
    assert re.search(r"tradeoff compare \w{32} \w{32} --metrics recall,precision --tracking-uri", html)


def test_the_command_has_the_budget_to_its_last_digit(tmp_path: Path) -> None:
    uri = empty_store(tmp_path)
    write_sweep(uri, MADE, [made(one, readings=[("obrs", 1.2345678)]) for one in configs((0.1, 10.0), 1)[:2]])
    store = ResultStore(uri)
    assert "--budget 1.2345678 --method obrs" in page(store, ids(store), tmp_path, 1.2345678)


def test_values_of_others_are_text(store: ResultStore, tmp_path: Path) -> None:
    html = page(store, [f"{MADE}/{ids(store)[0]}", ids(store, HOSTILE_SWEEP)[0]], tmp_path)
    assert "<script>window.hacked" not in html
    assert "<img src=x" not in html


@pytest.mark.browser
def test_it_is_drawn_at_every_width_without_an_error(store: ResultStore, tmp_path: Path, browser) -> None:
    page(store, [f"{MADE}/{ids(store)[0]}", f"{MADE}/{ids(store)[3]}"], tmp_path)
    for width in (1280, 390):
        tab = browser.new_page(viewport={"width": width, "height": 800})
        errors: list[str] = []
        tab.on("pageerror", lambda error, errors=errors: errors.append(str(error)))
        tab.goto((tmp_path / "page.html").as_uri())
        tab.wait_for_selector(".figure .scatterlayer path")
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        assert tab.locator("td.strip svg circle").count() > 10
        assert errors == []
        tab.close()
