"""The page of a refined model: one file that needs no network, says what was found, and draws it in a browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest
from playwright.sync_api import Page as Tab

from explorer.errors import UserError
from explorer.refining.page import write_page
from explorer.refining.refined import Refined
from explorer.refining.subject import Ratio
from explorer.refining.table import rows
from tests.explorer.html.boxes import drawn, overlapping, spilling
from tests.explorer.refining.known_subject import Pictures, normal_subject, picture_subject, read
from tests.trainables.samplers.known_model import Known
from trainables.evaluation.settings import EvaluationConfig
from trainables.metrics.frechet import Frechet
from trainables.metrics.metric import Entry, Metric, Scores
from trainables.metrics.pair import Pair
from trainables.metrics.pairs import Pairs
from trainables.refinements.dgflow import DGFlow
from trainables.refinements.hard_truncation import HardTruncation
from trainables.refinements.obrs import Obrs

HOSTILE = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'> & \"'</title>"


@pytest.fixture(scope="module")
def found() -> Refined:
    return read(normal_subject(judged=True), seed=3)


def written(found: Refined, folder: Path) -> str:
    write_page(found, folder / "page.html")
    return (folder / "page.html").read_text(encoding="utf-8")


def told(document: str) -> str:
    """What a reader sees of it before any figure is drawn."""
    body = document.partition("<main>")[2].partition("</main>")[0]
    without = re.sub(r"<script.*?</script>", "", body, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", without).split())


def test_it_says_what_was_found_of_each_budget(found: Refined, tmp_path: Path) -> None:
    text = told(written(found, tmp_path))
    assert text.startswith("Tradeoff Explorer What a sampling budget buys: trial 0123456789ab of sweep known")
    assert "The ratio of densities is known by the critic, calibrated (slope)." in text
    assert "K = 1 K = 1.5 K = 4" in text
    for row in rows(found):
        assert row.title in text
        for value, ends in zip(row.values, row.ends, strict=True):
            interval = "" if ends is None else f" {ends[0]:.4g} to {ends[1]:.4g}"
            assert f"{value:.4g}{interval}" in text
    assert found.foretold is not None
    last = found.readings[-1].metrics["precision"]
    foretold = found.foretold.at(4.0)["precision"]
    assert f"foretold {foretold:.4g}, gap {last - foretold:+.2g}" in text
    assert text.count("foretold ") == 4, "two metrics at two budgets beyond the first"
    for cost in ("acceptance", "calls of G", "calls of D", "gradients", "ms a sample"):
        assert cost in text
    assert text.endswith(
        "300 samples a budget in features identity, k = 3; seed 3; constants on 16,384 draws."
    )


def test_it_says_whether_the_ratio_is_to_be_trusted(found: Refined, tmp_path: Path) -> None:
    ratio = found.subject.ratio
    assert ratio is not None
    assert ratio.reliability is not None
    verdict = ratio.reliability.verdict
    text = told(written(found, tmp_path))
    assert f"Is the ratio to be trusted? {' '.join(verdict.sentence.split())}" in text
    untried = replace(found, subject=replace(found.subject, ratio=Ratio("critic", "none")))
    assert "to be trusted" not in told(written(untried, tmp_path))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("density", "from the model&#39;s density and the law of the data"),
        ("classifier", "by a classifier that was fitted after training"),
        ("scores", "by the scores that came with the samples"),
    ],
)
def test_it_says_from_what_the_ratio_is_known(
    found: Refined, tmp_path: Path, source: str, words: str
) -> None:
    other = replace(found, subject=replace(found.subject, ratio=Ratio(source)))
    assert f"The ratio of densities is known {words}." in told(written(other, tmp_path))


def test_a_method_that_asks_for_no_ratio_says_so(tmp_path: Path) -> None:
    text = told(written(read(normal_subject(HardTruncation(budgets=(2,)))), tmp_path))
    assert "It asks for no ratio of densities." in text
    assert "foretold" not in text.replace("Measured, foretold, and what it cost", "")
    assert text.endswith("k = 3; seed 0."), "no constants are found"


def test_it_needs_no_network(found: Refined, tmp_path: Path) -> None:
    document = written(found, tmp_path)
    assert document.startswith("<!doctype html>")
    assert "default-src &#39;none&#39;" in document or "default-src 'none'" in document
    assert re.findall(r"<link|<iframe|@import|\bsrcset=", document.partition("<script>")[0]) == []
    own = re.sub(r"<script>.*?</script>", "", document, flags=re.DOTALL)
    assert re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?\s*(?:https?:)?//""", own) == []
    pictures = re.findall(r'<img[^>]* src="([^"]{20})', document)
    assert len(pictures) == 1
    assert pictures[0].startswith("data:image/png;")


@dataclass(frozen=True)
class Rude(Metric):
    """Of a user's own, with a name that is no text."""

    name: ClassVar[str] = "rude"
    entries: ClassVar[tuple[Entry, ...]] = (Entry("rude", HOSTILE, HOSTILE, "max"),)

    def measure(self, pair: Pair) -> Scores:
        return Scores({"rude": float(pair.fake.mean())})

    def measure_all(self, pairs: Pairs) -> list[Scores]:
        return [self.measure(pair) for pair in pairs.one_by_one()]


def hostile() -> Refined:
    subject = normal_subject(evaluation=EvaluationConfig(samples=100, metrics=(Rude(), Frechet())))
    return read(replace(subject, title=HOSTILE))


def test_a_hostile_title_is_text(tmp_path: Path) -> None:
    document = written(hostile(), tmp_path)
    assert "<script>window" not in document
    assert "<img src=x" not in document
    assert document.partition("</head>")[0].count("</title>") == 1
    assert "&lt;script&gt;window.hacked = 1&lt;/script&gt;" in document


def test_where_draws_came_to_an_end_it_says_how_many_samples_there_were(tmp_path: Path) -> None:
    evaluation = EvaluationConfig(samples=300, metrics=(Frechet(),))
    subject = replace(
        normal_subject(Obrs(budgets=(4,)), evaluation=evaluation), model=Known(numbers=2, draws=400)
    )
    found = read(subject)
    fewer = found.readings[-1].ledger.samples
    assert 60 < fewer < 140
    document = written(found, tmp_path)
    assert f"{fewer} to 300 samples at every K" in document
    assert f"{fewer} to 300 samples a budget" in told(document)


def test_a_place_that_takes_no_file_is_told(found: Refined, tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=r"^the page must go to a writable file, got '.*page.html': No such file"
    ):
        write_page(found, tmp_path / "missing" / "page.html")


def images() -> Refined:
    return read(picture_subject(Pictures(3, classes=2), 100))


def moved() -> Refined:
    return read(normal_subject(DGFlow(budgets=(2,)), mean=(1.0, 0.0, 0.0)))


KINDS: dict[str, Callable[[], Refined]] = {"hostile": hostile, "images": images, "moved": moved}


@pytest.mark.browser
def test_the_page_draws_in_a_browser(found: Refined, tmp_path: Path, page: Tab) -> None:
    write_page(found, tmp_path / "page.html")
    page.goto((tmp_path / "page.html").as_uri())
    drawn(page)
    assert page.inner_text("h1") == "What a sampling budget buys: trial 0123456789ab of sweep known"
    figures = page.locator(".figure")
    assert figures.count() == 2, "metrics, and the reliability of the ratio"
    assert figures.first.locator(".cartesianlayer > .subplot").count() == 6
    assert page.locator("table tr").count() == 1 + len(rows(found)) + 6
    assert page.locator("main > img").evaluate("image => image.complete && image.naturalWidth") == 3 * 320
    assert page.locator("footer").inner_text().startswith("300 samples a budget")
    assert spilling(page) == []
    assert overlapping(page) == []


@pytest.mark.browser
@pytest.mark.parametrize("kind", KINDS)
def test_pages_of_all_kinds_draw_without_errors(tmp_path: Path, page: Tab, kind: str) -> None:
    write_page(KINDS[kind](), tmp_path / "page.html")
    page.goto((tmp_path / "page.html").as_uri())
    drawn(page)
    assert page.evaluate("window.hacked") is None
    assert page.locator("main > img").count() == (0 if kind == "moved" else 1)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    if kind == "hostile":
        assert page.inner_text("h1") == f"What a sampling budget buys: {HOSTILE}"
