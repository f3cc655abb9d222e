"""The script's parts, joined."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

from app.chart import sources

FOLDER = Path(sources.__file__).parent


def test_every_part_is_joined() -> None:
    assert sorted(sources.PARTS) == sorted(path.stem for path in FOLDER.glob("*.js"))


def test_no_name_is_defined_in_two_parts() -> None:
    names = [
        name
        for part in sources.PARTS
        for name in re.findall(
            r"^(?:function|class|const|let|async function) (\w+)",
            (FOLDER / f"{part}.js").read_text(encoding="utf-8"),
            flags=re.MULTILINE,
        )
    ]
    assert len(names) == len(set(names))


def test_nothing_ends_the_script_element_early() -> None:
    assert not re.search(r"</script|<!--", sources.page_script(), flags=re.IGNORECASE)


def test_the_script_asks_nobody() -> None:
    addresses = re.findall(r"https?://[^\s'\"`]+", sources.program())
    assert set(addresses) == {"http://www.w3.org/2000/svg"}
    assert not re.search(
        r"\b(fetch|XMLHttpRequest|WebSocket|eval|innerHTML|insertAdjacentHTML)\b", sources.program()
    )


def test_the_module_exports_one_function() -> None:
    assert re.findall(r"^export .*", sources.module(), flags=re.MULTILINE) == ["export default component;"]


@pytest.mark.browser
def test_the_module_can_be_read(page: Page) -> None:
    page.goto("about:blank")
    kind = page.evaluate(
        """async source => {
          const address = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
          return typeof (await import(address)).default;
        }""",
        sources.module(),
    )
    assert kind == "function"
