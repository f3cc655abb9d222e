"""Make the README's pictures from an existing store: ``python docs/make_pictures.py [SWEEP] [--tracking-uri URI]``.

``docs/pictures/app.png`` is the app as a reader sees it, ``docs/pictures/front.png`` the front of the report. Of a
sweep of images, ``--images TRIAL`` makes ``SWEEP-front.png`` and, of what that trial generates, ``SWEEP-samples.png``
instead; of several, ``SWEEP-samples-1.png`` and so on. Needs Chromium and the test tools (``make install-test``).
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, sync_playwright

from explorer.errors import UserError
from explorer.folders import default_tracking_uri
from explorer.report import write_report
from explorer.results.store import ResultStore

PICTURES = Path(__file__).parent / "pictures"
WIDTH, HEIGHT, SCALE = 1400, 1190, 2
SWITCHES = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking", "--no-first-run"]
PATIENCE_MS = 120_000


def main() -> None:
    """Read the arguments, make both pictures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sweep", nargs="?", default="demo")
    parser.add_argument("--tracking-uri", default=default_tracking_uri())
    parser.add_argument("--query", default="", help="more of the app's URL, for example 'k=2&paths=1'")
    parser.add_argument(
        "--images", metavar="TRIAL", nargs="+", help="identities of trials whose images are shown"
    )
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
            name = f"{arguments.sweep}-front.png" if arguments.images else "front.png"
            picture_front(browser, arguments.tracking_uri, arguments.sweep, arguments.folder / name)
            if arguments.images:
                for count, trial in enumerate(arguments.images, start=1):
                    which = f"-{count}" if len(arguments.images) > 1 else ""
                    path = arguments.folder / f"{arguments.sweep}-samples{which}.png"
                    picture_samples(arguments.tracking_uri, arguments.sweep, trial, path)
                return
            query = f"sweep={urllib.parse.quote(arguments.sweep)}&{arguments.query}".rstrip("&")
            picture_app(browser, arguments.tracking_uri, query, arguments.folder / "app.png")
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


def picture_samples(uri: str, sweep: str, trial: str, path: Path) -> None:
    """What a trial generates, beside real images."""
    store = ResultStore(uri)
    run = next((one.run_id for one in store.table(sweep).trials if one.id == trial), None)
    image = None if run is None else store.artifact_bytes(run, "samples.png")
    if image is None:
        sys.exit(f"trial {trial} of sweep {sweep} has no images; name one of `tradeoff front {sweep}`")
    path.write_bytes(image)
    print(f"made {path}")


def picture_app(browser: Browser, uri: str, query: str, path: Path) -> None:
    """The app, its first screen."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "explorer", "app", "--headless", "--port", str(port), "--tracking-uri", uri],
        stdout=subprocess.DEVNULL,
    )
    try:
        _wait(f"http://localhost:{port}/_stcore/health", server)
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, device_scale_factor=SCALE)
        page.goto(f"http://localhost:{port}/?{query}")
        page.wait_for_selector(".tx-table", timeout=PATIENCE_MS)
        page.wait_for_function(
            "document.querySelectorAll('.js-plotly-plot .main-svg').length >= 6", timeout=PATIENCE_MS
        )
        page.wait_for_selector("[data-testid=stStatusWidget]", state="detached", timeout=PATIENCE_MS)
        page.wait_for_timeout(1500)
        page.screenshot(path=path)
        page.close()
    finally:
        server.terminate()
        server.wait()
    print(f"made {path}")


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
