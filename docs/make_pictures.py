"""Make the README's pictures from an existing store: ``python docs/make_pictures.py [SWEEP] [--tracking-uri URI]``.

``docs/pictures/app.png`` is the app as a reader sees it, ``docs/pictures/front.png`` the front of the report. With
``--pages`` there is a picture of every page of the app, ``app-budget.png`` and so on, and of the front in the dark and
on a phone. With ``--mlflow`` there are MLflow's own pages on the sweep instead, ``mlflow-compare.png`` and so on. Of a
sweep of images, ``--images TRIAL`` makes ``SWEEP-front.png`` and, of what that trial generates, ``SWEEP-samples.png``
instead; of several, ``SWEEP-samples-1.png`` and so on. ``--compare RUN RUN …`` makes ``comparison.png`` instead, the
page of ``tradeoff compare``. Needs Chromium and the test tools (``make install-test``).
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from explorer.cli.mlflow_server import ServedStore
from explorer.comparison import compare_sides, open_sides
from explorer.errors import UserError
from explorer.folders import default_tracking_uri
from explorer.mlflow_pages import comparison
from explorer.report import write_report
from explorer.report.comparing import write_comparison
from explorer.results.store import ResultStore

PICTURES = Path(__file__).parent / "pictures"
WIDTH, HEIGHT, SCALE = 1400, 1190, 1.5
TALL = 1500
"""Of a comparison."""
SWITCHES = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking", "--no-first-run"]
PATIENCE_MS = 120_000
SETTLED = {
    "mlflow.assistant.fab.autoOpenedOnFirstLoad": "true",
    "mlflow.workflowType": '"machine_learning"',
}
"""Of MLflow's pages: the assistant, which opens by itself at the first visit, and which of two faces they show."""
ENDS = """() => {
  const {keys, card} = window.__tradeoffCharts.front.spec;
  const recall = card.rows.find(row => row.title === 'Recall').values;
  const order = [...keys.keys()].sort((a, b) => recall[a] - recall[b]);
  return [keys[order[0]], keys[order[order.length - 1]]];
}"""
"""Trials of the least and the greatest recall."""


class Shot(NamedTuple):
    """A picture of a page: which, in which file, and a chart to wait for."""

    page: str
    file: str
    chart: str = ""
    dark: bool = False
    width: int = WIDTH
    tallest: int = 2400


EVERY = (
    Shot("", "app.png", "front", tallest=HEIGHT),
    Shot("budget", "app-budget.png", "budget", tallest=1700),
    Shot("audit", "app-audit.png", "audit lambda", tallest=1700),
    Shot("trial", "app-trial.png", "samples", tallest=1700),
    Shot("compare", "app-compare.png", tallest=1700),
    Shot("sweep", "app-sweep.png", "growth", tallest=1500),
    Shot("data", "app-data.png", tallest=1100),
    Shot("", "app-dark.png", "front", dark=True, tallest=HEIGHT),
    Shot("", "app-phone.png", "front", width=400, tallest=1500),
)
"""The README's picture first."""


def main() -> None:
    """Read the arguments, make both pictures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sweep", nargs="?", default="demo")
    parser.add_argument("--tracking-uri", default=default_tracking_uri())
    parser.add_argument("--query", default="", help="more of the app's URL, for example 'k=2&paths=1'")
    parser.add_argument("--pages", action="store_true", help="every page of the app")
    parser.add_argument("--mlflow", action="store_true", help="MLflow's own pages instead")
    parser.add_argument(
        "--images", metavar="TRIAL", nargs="+", help="identities of trials whose images are shown"
    )
    parser.add_argument("--compare", metavar="RUN", nargs="+", help="runs that are compared on a page")
    parser.add_argument("--folder", type=Path, default=PICTURES)
    arguments = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit(
            "Chromium is needed to make pictures; install it, for example with `apt-get install chromium`"
        )
    arguments.folder.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR", "false")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, headless=True, args=SWITCHES)
        try:
            if arguments.compare:
                path = arguments.folder / "comparison.png"
                picture_comparison(browser, arguments.tracking_uri, arguments.compare, path)
                return
            if arguments.mlflow:
                picture_mlflow(browser, arguments.tracking_uri, arguments.sweep, arguments.folder)
                return
            name = f"{arguments.sweep}-front.png" if arguments.images else "front.png"
            picture_front(browser, arguments.tracking_uri, arguments.sweep, arguments.folder / name)
            if arguments.images:
                for count, trial in enumerate(arguments.images, start=1):
                    which = f"-{count}" if len(arguments.images) > 1 else ""
                    path = arguments.folder / f"{arguments.sweep}-samples{which}.png"
                    picture_samples(arguments.tracking_uri, arguments.sweep, trial, path)
                return
            query = f"sweep={urllib.parse.quote(arguments.sweep)}&{arguments.query}".rstrip("&")
            shots = EVERY if arguments.pages else EVERY[:1]
            picture_app(browser, arguments.tracking_uri, query, shots, arguments.folder)
        except UserError as error:
            sys.exit(str(error))
        finally:
            browser.close()


def picture_front(browser: Browser, uri: str, sweep: str, path: Path) -> None:
    """The report's front, by itself."""
    store = ResultStore(uri)
    with TemporaryDirectory() as folder:
        report = Path(folder) / "report.html"
        write_report(store, store.table(sweep), report)
        page = browser.new_page(viewport={"width": 1100, "height": 900}, device_scale_factor=SCALE)
        page.goto(report.as_uri())
        page.wait_for_selector(".figure .points path", timeout=PATIENCE_MS)
        page.wait_for_timeout(500)
        page.locator(".figure").first.screenshot(path=path)
        page.close()
    print(f"made {path}")


def picture_comparison(browser: Browser, uri: str, runs: Sequence[str], path: Path) -> None:
    """The page of a comparison, down to its curves."""
    store = ResultStore(uri)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "comparison.html"
        write_comparison(store, compare_sides(open_sides(store, runs)), file)
        page = browser.new_page(viewport={"width": 1100, "height": TALL}, device_scale_factor=1)
        page.goto(file.as_uri())
        page.wait_for_selector(".figure .scatterlayer path", timeout=PATIENCE_MS)
        page.wait_for_timeout(500)
        page.screenshot(path=path)
        page.close()
    print(f"made {path}")


def picture_samples(uri: str, sweep: str, trial: str, path: Path) -> None:
    """What a trial generates, beside real images."""
    store = ResultStore(uri)
    run = next((one.run_id for one in store.table(sweep).trials if one.id == trial), None)
    image = None if run is None else store.artifact_bytes(run, "samples.png")
    if image is None:
        sys.exit(f"trial {trial} of sweep {sweep} has no images; name one of `tradeoff front {sweep}`")
    path.write_bytes(image)
    print(f"made {path}")


def picture_mlflow(browser: Browser, uri: str, sweep: str, folder: Path) -> None:
    """A sweep in MLflow: its trials as charts and as a table, three of them side by side, a trial's run and its own."""
    store = ResultStore(uri)
    info = store.info(sweep)
    with ServedStore(uri, 5000) as server:
        server.wait()
        page = browser.new_page(viewport={"width": 1400, "height": 1150}, reduced_motion="reduce")
        for key, value in SETTLED.items():
            page.add_init_script(f"localStorage.setItem('{key}_v1', '{value}')")
        page.goto(f"{server.address}/{comparison(store, info)}")
        page.get_by_text("matching runs").wait_for(timeout=PATIENCE_MS)
        page.get_by_role("link", name="seed").first.wait_for(timeout=PATIENCE_MS)
        _keep(page, folder / "mlflow-compare.png")
        page.goto(f"{server.address}/{comparison(store, info).replace('=CHART', '=TABLE')}")
        page.reload()
        page.get_by_role("link", name="seed").first.wait_for(timeout=PATIENCE_MS)
        _keep(page, folder / "mlflow-runs.png")
        page.goto(f"{server.address}/{_side_by_side(store, sweep, info.experiment_id)}")
        page.reload()
        page.get_by_text("Visualizations").first.wait_for(timeout=PATIENCE_MS)
        _keep(page, folder / "mlflow-side-by-side.png")
        page.goto(f"{server.address}/{comparison(store, info)}")
        page.get_by_role("link", name="seed").first.click()
        _keep_run(page, folder / "mlflow-trial.png")
        page.get_by_role("link", name=sweep, exact=True).first.click()
        page.get_by_role("heading", name=sweep).first.wait_for(timeout=PATIENCE_MS)
        page.reload()
        _keep_run(page, folder / "mlflow-sweep.png")
        page.close()


def _side_by_side(store: ResultStore, sweep: str, experiment: str) -> str:
    """MLflow's own comparison of the finished trials of one seed with the least, a middle and the greatest λ."""
    trials = [
        trial
        for trial in store.table(sweep).finished()
        if "objective.lam" in trial.params and trial.seed == 0
    ]
    ordered = sorted(trials, key=lambda trial: float(trial.params["objective.lam"] or 0))
    chosen = [ordered[0], ordered[len(ordered) // 2], ordered[-1]]
    runs = urllib.parse.quote(json.dumps([trial.run_id for trial in chosen]))
    return f"#/compare-runs?runs={runs}&experiments={urllib.parse.quote(json.dumps([experiment]))}"


def _keep_run(page: Page, path: Path) -> None:
    page.get_by_text("Show more").first.wait_for(timeout=PATIENCE_MS)
    page.wait_for_timeout(2000)
    page.get_by_text("Show more").first.click()
    _keep(page, path)


def _keep(page: Page, path: Path) -> None:
    """What is on the screen, in few colours: pages are flat."""
    page.wait_for_timeout(4000)
    shot = Image.open(BytesIO(page.screenshot())).convert("RGB")
    shot.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"made {path}")


def picture_app(browser: Browser, uri: str, query: str, shots: Sequence[Shot], folder: Path) -> None:
    """Pages of the app, from top to bottom; pins are the two ends of the front."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "explorer", "app", "--headless", "--port", str(port), "--tracking-uri", uri],
        stdout=subprocess.DEVNULL,
    )
    try:
        _wait(f"http://localhost:{port}/_stcore/health", server)
        pins = ""
        for shot in shots:
            context = browser.new_context(
                viewport={"width": shot.width, "height": HEIGHT},
                device_scale_factor=SCALE,
                color_scheme="dark" if shot.dark else "light",
            )
            page = context.new_page()
            page.goto(f"http://localhost:{port}/{shot.page}?{query}{pins if shot.page == 'compare' else ''}")
            if shot.chart:
                page.wait_for_function(
                    "key => window.__tradeoffCharts?.[key]", arg=shot.chart, timeout=PATIENCE_MS
                )
            _settle(page)
            if not pins:
                sweep = urllib.parse.quote(urllib.parse.parse_qs(query)["sweep"][0])
                pins = "".join(f"&pin={sweep}/{trial}" for trial in page.evaluate(ENDS))
            tall = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
            page.set_viewport_size({"width": shot.width, "height": min(tall, shot.tallest)})
            _settle(page)
            page.screenshot(path=folder / shot.file)
            context.close()
            print(f"made {folder / shot.file}")
    finally:
        server.terminate()
        server.wait()


def _settle(page: Page) -> None:
    """Until the script has run and its charts are drawn."""
    for _ in range(2):
        page.wait_for_selector("[data-test-script-state=notRunning]", timeout=PATIENCE_MS)
        page.wait_for_timeout(1500)


def _wait(url: str, server: subprocess.Popen[bytes]) -> None:
    """Until the server answers."""
    for _ in range(600):
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except (urllib.error.URLError, OSError):
            if server.poll() is not None:
                sys.exit("the app ended before it answered")
            time.sleep(0.2)
    sys.exit("the app did not answer within two minutes")


if __name__ == "__main__":
    main()
