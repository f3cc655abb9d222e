"""Where the words of plotly figures lie on a page, in pixels."""

from __future__ import annotations

from playwright.sync_api import Page

__all__ = ["drawn", "overlapping", "spilling"]

_PARTS = ".gtitle, .gtitle-subtitle, .legend, .colorbar, .xtitle, .ytitle, .annotation-text"

_SPILLING = f"""() => [...document.querySelectorAll('.figure')].flatMap((figure) => {{
  const frame = figure.getBoundingClientRect();
  return [...figure.querySelectorAll('{_PARTS}')].filter((part) => {{
    const box = part.getBoundingClientRect();
    return box.width && (box.left < frame.left - 1 || box.right > frame.right + 1
      || box.top < frame.top - 1 || box.bottom > frame.bottom + 1);
  }}).map((part) => `${{figure.id}} ${{part.getAttribute('class')}}: ${{part.textContent}}`);
}})"""

# Boxes of text have air above and below; 3 pixels of that may be shared.
_OVERLAPPING = f"""() => [...document.querySelectorAll('.figure')].flatMap((figure) => {{
  const parts = [...figure.querySelectorAll('{_PARTS}')].filter((part) => part.getBoundingClientRect().width);
  const found = [];
  parts.forEach((one, i) => parts.slice(i + 1).forEach((other) => {{
    if (one.contains(other) || other.contains(one)) return;
    const [a, b] = [one, other].map((part) => part.getBoundingClientRect());
    const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    if (across > 3 && down > 3) found.push(`${{figure.id}}: ${{one.textContent}} | ${{other.textContent}}`);
  }}));
  return found;
}})"""


def drawn(page: Page) -> None:
    """Wait until every figure of a page is drawn."""
    page.wait_for_function(
        "[...document.querySelectorAll('.figure')].every(f => f.querySelector('.main-svg'))", timeout=90_000
    )
    page.wait_for_timeout(200)


def spilling(page: Page) -> list[str]:
    """Titles, headings, legends and colour bars that reach beyond their figure."""
    found = page.evaluate(_SPILLING)
    assert isinstance(found, list)
    return found


def overlapping(page: Page) -> list[str]:
    """Pairs of them that lie on each other."""
    found = page.evaluate(_OVERLAPPING)
    assert isinstance(found, list)
    return found
