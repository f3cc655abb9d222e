"""A large sweep in a real browser: first paint and interactions of the app, MLflow's own charts, optuna-dashboard.

    python benchmarks/bench_app.py [--trials 10000] [--repeats 5] [--store DIR] [--peers PYTHON] [--only app mlflow]

The store is that of ``tests/large_store.py``; ``--store`` takes one that was written before, and leaves it as it is.
All times are taken inside the page, by its own clock: a visit from the beginning of its navigation, an interaction from
the reader's event, both until the frame after the chart is drawn from what the server sent and, as *whole*, until the
page's script has ended too. *Server* is the time from the page's question to the last message of the answer, as the
page receives it: a page that is busy receives late.

The first visit reads the store. The others are new visits with the browser's cache and the server's warm. Interactions
are tried in visits that leave out other configurations by a bound on FID, so that the server remembers nothing of
what it is asked to draw. Medians, with maxima in brackets.

Peers have the same trials: MLflow a copy of the store whose runs have no parents (it hides children), optuna-dashboard
a study with the three objectives. ``--peers`` is a Python of its own environment with optuna-dashboard:

    uv venv peers && uv pip install --python peers/bin/python optuna-dashboard
"""

from __future__ import annotations

import argparse
import itertools
import os
import platform
import re
import sqlite3
import statistics
import sys
import tempfile
import urllib.parse
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from benchmarks import app_peers
from benchmarks.app_peers import Peer
from explorer.pareto.cloud import Cloud
from explorer.results.columns import Columns
from explorer.results.store import ResultStore
from explorer.store.schema import TRIAL
from tests.app.browsing import WAIT, drag, pixel, places
from tests.app.conftest import Server, start_server, unused_port
from tests.large_store import LARGE, write_large

CHROMIUM = "/usr/bin/chromium"
SWITCHES = ("--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run")
WANTED = {"visit": 3.0, "interaction": 0.7}
VISITS = ("first visit of all", "new visit", "new visit, single seeds", "new visit, view not seen before")
PAGES = {
    "Budget": ("budget", "Draws for one sample that is kept, K", "ArrowRight"),
    "λ audit": ("audit lambda", "Rejection budget K", "ArrowLeft"),
    "Sweep": ("growth", "Replay", "ArrowLeft"),
}
"""Other pages by their names in the head: a chart of each, and a slider that changes it, by a key."""

CLOCK = """
window.__clock = { sent: null, last: null };
window.WebSocket = class extends WebSocket {
  constructor(...all) {
    super(...all);
    this.addEventListener('message', () => { window.__clock.last = performance.now(); });
  }
  send(...all) {
    window.__clock.sent ??= performance.now();
    return super.send(...all);
  }
};
// From now, or the next event of a kind, until a chart differs from what it is now, and until the script is idle too.
window.__measure = (key, kind) => {
  const clock = window.__clock, chart = () => window.__tradeoffCharts?.[key];
  const before = chart()?.spec;
  Object.assign(clock, { began: kind ? null : 0, sent: null, last: null, drawn: null, whole: null });
  const begin = (event) => Object.assign(clock, { began: event.timeStamp, sent: null });
  if (kind) addEventListener(kind, begin, { capture: true, once: true });
  const seen = (name) => requestAnimationFrame(() => { clock[name] ??= performance.now(); });
  const look = () => {
    const now = chart();
    const drawn = now?.spec && now.spec !== before && now.host.isConnected && Number(now.host.dataset.drawn) >= 1;
    const idle = document.querySelector('[data-test-script-state=notRunning]');
    if (clock.began !== null && drawn) seen('drawn');
    if (clock.began !== null && drawn && idle) seen('whole');
    if (clock.whole === null) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
};
"""
"""A frame's callbacks come before it is painted: what one finds drawn has been painted when the next is called."""


@dataclass
class Measured:
    """Seconds of one thing that a reader does: until the chart is drawn, until the page is whole, of the server."""

    drawn: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)
    server: list[float] = field(default_factory=list)

    def add(self, page: Page) -> None:
        """Wait for the page's own measurement, and take it."""
        page.wait_for_function("window.__clock.whole", timeout=WAIT)
        clock = page.evaluate("window.__clock")
        began, sent = clock["began"], clock["sent"] or clock["began"]
        self.drawn.append((clock["drawn"] - began) / 1e3)
        self.whole.append((clock["whole"] - began) / 1e3)
        self.server.append(((clock["last"] or sent) - sent) / 1e3)


def visit(page: Page, server: Server, seen: Measured, **query: str) -> None:
    """A new visit of the front page, measured."""
    page.goto(f"{server.url}/?{urllib.parse.urlencode(query)}", wait_until="commit")
    seen.add(page)


def doing(page: Page, seen: Measured, kind: str, act: Callable[[], object], chart: str = "front") -> None:
    """Let the reader do something, measured from the next event of a kind."""
    page.evaluate("([key, kind]) => window.__measure(key, kind)", [chart, kind])
    act()
    seen.add(page)
    page.wait_for_timeout(300)  # what comes after it, such as a tooltip, does not count as part of the next


@contextmanager
def tab(context: BrowserContext) -> Iterator[Page]:
    """A tab whose visits are measured from their beginning."""
    page = context.new_page()
    page.add_init_script(CLOCK + "window.__measure('front', null);")
    try:
        yield page
    finally:
        page.close()


def interactions(page: Page, found: dict[str, Measured]) -> None:
    """What a reader does on the front page, of means and of single seeds; then the other pages."""

    def seen(name: str) -> Measured:
        return found.setdefault(name, Measured())

    budget = page.get_by_role("slider", name="Rejection budget K")
    for points in ("means", "single seeds"):
        if points == "single seeds":
            toggle = page.get_by_text("Single seeds")
            doing(page, seen("single seeds: toggled"), "click", toggle.click)
        budget.focus()
        doing(page, seen(f"{points}: budget slider"), "keydown", lambda: page.keyboard.press("ArrowRight"))
        place = pixel(page, highest(page))
        doing(page, seen(f"{points}: click on a point"), "pointerup", lambda at=place: page.mouse.click(*at))
        assert "trial=" in page.url, "a click on a point chooses its trial"
        option = "pr" if points == "means" else "kl"
        page.get_by_role("combobox", name="objective.name").click()
        choice = page.get_by_role("option", name=option, exact=True)
        choice.wait_for()
        doing(page, seen(f"{points}: filter"), "click", choice.click)
        page.keyboard.press("Escape")
    span = page.get_by_role("slider", name="λ — start")
    span.focus()
    doing(page, seen("single seeds: range of λ"), "keydown", lambda: page.keyboard.press("ArrowRight"))
    doing(page, seen("single seeds: brush"), "pointerup", lambda: brush(page))
    assert "brush=" in page.url, "a drag brushes"
    for name, (chart, slider, key) in PAGES.items():
        link = page.get_by_role("link", name=re.compile(name))
        doing(page, seen(f"to the page {name}"), "click", link.click, chart)
        page.get_by_role("slider", name=slider).focus()
        doing(page, seen(f"{name}: slider"), "keydown", lambda key=key: page.keyboard.press(key), chart)


def highest(page: Page) -> str:
    """The point at the top: a click there chooses it, or one that lies beside it."""
    found = places(page)
    return max(found, key=lambda key: found[key][1])


def brush(page: Page) -> None:
    """Drag over the middle of the points."""
    found = list(places(page).values())
    x, y = (statistics.quantiles(axis) for axis in zip(*found, strict=True))
    drag(page, (x[0], y[0]), (x[2], y[2]))


def bounds(database: Path, repeats: int) -> list[float]:
    """Bounds on FID that leave out the worst configuration, the two worst, and so on."""
    columns = Columns(ResultStore(f"sqlite:///{database}").table(LARGE))
    means = Cloud.of(columns, columns.finished, ("fid",)).mean[:, 0]
    worst = sorted(means.tolist(), reverse=True)[: repeats + 1]
    return [(a + b) / 2 for a, b in itertools.pairwise(worst)]


def finished(database: Path) -> int:
    """Finished trials of the store."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as link:
        query = "SELECT count(*) FROM tags JOIN runs USING (run_uuid) WHERE key = ? AND status = 'FINISHED'"
        return int(link.execute(query, (TRIAL,)).fetchone()[0])


def measure_app(browser: Browser, database: Path, home: Path, repeats: int) -> dict[str, Measured]:
    """Every figure of the app by its name; the first is that of the visit that reads the store."""
    found = {name: Measured() for name in VISITS}
    first, again, single, unseen = found.values()
    server = start_server(f"sqlite:///{database}", unused_port(), home)
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    try:
        with tab(context) as page:
            visit(page, server, first, sweep=LARGE)
            means = len(places(page))
        for _ in range(repeats):
            for seen, query, count in ((again, {}, means), (single, {"seeds": "1"}, finished(database))):
                with tab(context) as page:
                    visit(page, server, seen, sweep=LARGE, **query)
                    assert len(places(page)) == count, f"a visit shows all points, {count}"
        for bound in bounds(database, repeats):
            with tab(context) as page:
                visit(page, server, unseen, sweep=LARGE, **{"bound.fid": repr(bound)})
                interactions(page, found)
    finally:
        context.close()
        server.process.terminate()
        server.process.wait(timeout=30)
    return found


def machine(note: str) -> str:
    names = ("streamlit", "mlflow", "playwright")
    return (
        f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} {note}\n"
        f"Python {platform.python_version()}, " + ", ".join(f"{name} {version(name)}" for name in names)
    )


def line(name: str, seen: Measured) -> str:
    def told(seconds: list[float]) -> str:
        return f"{statistics.median(seconds):6.2f} s ({max(seconds):5.2f})"

    kind = "visit" if "visit" in name else "interaction"
    wanted = "" if name.startswith(("first visit", "to the page")) else f"wanted < {WANTED[kind]:g} s"
    return f"{name:<34} {told(seen.drawn)} {told(seen.whole)} {told(seen.server)}   {wanted}".rstrip()


def peer_line(peer: Peer, ours: float | None) -> str:
    if peer.seconds is None:
        return f"{peer.name:<34} nothing after {peer.limit:g} s: {peer.seen}"
    ratio = f"{peer.seconds / ours:6.1f}x ours" if ours else ""
    return f"{peer.name:<34} {peer.seconds:6.2f} s {ratio}   {peer.seen}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--store", type=Path, help="folder of a store that tests.large_store wrote")
    parser.add_argument("--peers", type=Path, help="a Python with optuna-dashboard")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds to wait for a peer's chart")
    parser.add_argument(
        "--only", nargs="+", choices=("app", "mlflow", "optuna"), default=["app", "mlflow", "optuna"]
    )
    options = parser.parse_args(arguments)
    print(machine("before"), flush=True)
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        room = Path(made)
        folder = options.store or room / "store"
        if options.store is None:
            folder.mkdir()
            write_large(folder, options.trials)
        database = folder.resolve() / "mlflow.db"
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(SWITCHES))
        ours = None
        if "app" in options.only:
            found = measure_app(browser, database, room / "home", options.repeats)
            ours = statistics.median(found["new visit"].drawn)
            print(f"{'':<34} {'chart':>16} {'whole':>16} {'server':>16}")
            for name, seen in found.items():
                print(line(name, seen), flush=True)
        for peer in app_peers.measured(browser, database, room, options):
            print(peer_line(peer, ours), flush=True)
        browser.close()
    print(f"load {os.getloadavg()[0]:.1f} after")


if __name__ == "__main__":
    main()
