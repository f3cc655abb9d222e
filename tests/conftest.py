"""How tests are shared among workers; a real browser, one for all tests that look at a page.

Playwright's synchronous API allows one browser a process.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, ViewportSize

    from tests.object_store import ObjectStore

# Ray lets its workers run at a low priority, so that beside tests that compute they would starve.
os.environ.setdefault("RAY_worker_niceness", "0")

# Machines pause: how long an example takes is no property of what is tested.
settings.register_profile("tradeoff", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tradeoff")

# A shell lets what it runs in the background ignore Ctrl-C, and so would all drivers that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

CHROMIUM = "/usr/bin/chromium"
WINDOW: ViewportSize = {"width": 1400, "height": 1600}
FIGURES = "tests/explorer/reproduce/"
LONG = (
    "tests/benchmarks/test_fault_campaign.py",
    "tests/explorer/launch/test_nodes.py",
    "tests/explorer/launch/test_jobs.py",
    "tests/app/test_browser.py",
    "tests/app/test_live.py",
)


@cache
def shares_ray(file: str) -> bool:
    """Whether tests of a file run on the one Ray runtime that their process has."""
    text = (Path(__file__).parents[1] / file).read_text(encoding="utf-8")
    return "on_cluster: " in text or "ray_address: " in text


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Every other worker collects files from the end: each finds half of the assertions rewritten by its neighbour."""
    report = yield
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    if worker % 2 and isinstance(collector, pytest.Directory):
        report.result = report.result[::-1]
    return report


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest pieces of work come first, so that all workers end together; else files by their names."""
    files = [item.nodeid.partition("::")[0] for item in items]
    rank = {file: (not shares_ray(file), file not in LONG, file) for file in set(files)}
    items.sort(key=lambda item: rank[item.nodeid.partition("::")[0]])


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """No garbage is looked for while modules are imported: there is none.

    What was imported stays, and need not be looked at later: Streamlit collects garbage after every run of a page.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With ``--dist loadfile`` a file is a piece of work; those that share a Ray runtime, or figures, are one."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Sharing(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            if shares_ray(file):
                return "on one Ray"
            return FIGURES if file.startswith(FIGURES) else str(super()._split_scope(nodeid))

    return Sharing(config, log)


@contextmanager
def _as_before() -> Iterator[None]:
    """Members and modules that sweeps bring into this process meanwhile are unknown afterwards."""
    from explorer.sweep.plugins import ALL_FAMILIES

    names = {family.noun: set(family.brought()) for family in ALL_FAMILIES}
    modules = set(sys.modules)
    yield
    for family in ALL_FAMILIES:
        for name in set(family.brought()) - names[family.noun]:
            family.forget(name)
    for name in set(sys.modules) - modules:
        if hasattr(sys.modules[name], "__tradeoff_plugin__"):
            del sys.modules[name]


@pytest.fixture(autouse=True, scope="module")
def _forgotten_by_the_next_file() -> Iterator[None]:
    """What fixtures of a whole file bring in is gone with it."""
    with _as_before():
        yield


@pytest.fixture(autouse=True)
def _forgotten_by_the_next_test() -> Iterator[None]:
    """What one test has brought in, the next could name, plan with, or keep with a run."""
    with _as_before():
        yield


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    switches = [
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--no-first-run",
        "--disable-gpu",
    ]
    from playwright.sync_api import sync_playwright  # a GPU host without a browser runs the other tests

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=switches)
        yield running
        running.close()


@pytest.fixture(scope="session")
def context(browser: Browser) -> BrowserContext:
    """One cache for all visits; nothing of the app's state lives in it, and nothing moves for the eye alone."""
    return browser.new_context(viewport=WINDOW, reduced_motion="reduce")


@pytest.fixture(scope="session")
def tab(context: BrowserContext) -> Page:
    """One tab for all visits: it compiles the plotting library once, which is half the time of a visit."""
    return context.new_page()


@pytest.fixture
def page(tab: Page) -> Iterator[Page]:
    """A fresh visit; errors on the page and calls beyond this machine fail the test.

    A test may change the window's size and its colour scheme.
    """
    troubles: list[str] = []
    listeners: dict[str, Callable[[Any], None]] = {
        "pageerror": lambda error: troubles.append(str(error)),
        "console": lambda message: troubles.append(message.text) if _is_trouble(message) else None,
        "request": lambda request: troubles.append(request.url) if not _is_local(request.url) else None,
    }
    for event, listener in listeners.items():
        tab.on(event, listener)  # type: ignore[call-overload]
    yield tab
    tab.goto("about:blank")
    for event, listener in listeners.items():
        tab.remove_listener(event, listener)
    tab.set_viewport_size(WINDOW)
    tab.emulate_media(color_scheme="light")
    assert troubles == []


def _is_trouble(message: ConsoleMessage) -> bool:
    """An error, other than Streamlit's own question whether its server answers below a page's path."""
    return message.type == "error" and "/_stcore/" not in message.location.get("url", "")


def _is_local(url: str) -> bool:
    return url.startswith(("http://localhost:", "ws://localhost:", "file:", "data:", "blob:"))


@pytest.fixture(scope="session")
def _running_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    from tests.object_store import running_store

    with running_store(tmp_path_factory.mktemp("store")) as store:
        yield store


@pytest.fixture
def object_store(_running_store: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> ObjectStore:
    """An object store on this machine, with credentials to write there in the environment."""
    from tests.object_store import set_credentials

    set_credentials(monkeypatch)
    return _running_store
