"""The table as documentation and as part of the gallery."""

from __future__ import annotations

from pathlib import Path

from explorer.reproduce import listing
from explorer.reproduce.papers import ORDER
from explorer.reproduce.printed import PRINTED, Status

DOCS = Path(__file__).parents[3] / "docs"


def test_the_page_of_the_documentation_is_the_one_that_is_written() -> None:
    written = (DOCS / "figures.md").read_text(encoding="utf-8")
    assert written == listing.markdown(), "run `python -m explorer.reproduce.listing > docs/figures.md`"
    assert "(figures.md)" in (DOCS / "README.md").read_text(encoding="utf-8")


def test_every_row_stands_below_its_paper() -> None:
    text = listing.markdown()
    sections = text.split("\n## ")[1:]
    assert [section.splitlines()[0] for section in sections] == list(ORDER)
    for paper, section in zip(ORDER, sections, strict=True):
        rows = [row for row in PRINTED if row.paper == paper]
        assert section.count("\n| Figure ") + section.count("\n| Table ") == len(rows)
        assert all(f"\n| {row.label} | {row.what} | {row.status}" in section for row in rows)


def test_every_status_is_explained_and_counted() -> None:
    text = listing.markdown()
    for status in Status:
        count = sum(row.status is status for row in PRINTED)
        assert f"\n| {status} | {count} | " in text


def test_what_is_on_the_page_is_linked_to_and_nothing_else() -> None:
    text = "".join(listing.html({"djolonga-3"}))
    assert '<a href="#djolonga-3">Figure 3</a>' in text
    assert text.count("<a ") == 1
    assert "<code>trainables.divergences.closed_forms</code>" in text
    assert text.count("<table>") == len(ORDER)
    assert text.count("<tr>") == len(PRINTED) + len(ORDER)
