"""The table of all that the papers print agrees with the registry, names modules that are there, misses no number."""

from __future__ import annotations

import re
from importlib import import_module

import pytest

from explorer.reproduce import REPRODUCTIONS
from explorer.reproduce.papers import DJOLONGA, ORDER, SAJJADI, SIMON, THESIS
from explorer.reproduce.printed import PRINTED, Status

DRAWN = [row for row in PRINTED if row.status in (Status.REPRODUCED, Status.SWEEP)]
REGISTERED = {entry.name: entry for entry in REPRODUCTIONS}


def test_every_row_that_is_drawn_names_a_registered_reproduction() -> None:
    assert [row.entry for row in DRAWN if row.entry not in REGISTERED] == []


def test_every_registered_reproduction_is_in_the_table() -> None:
    rows = {row.entry for row in DRAWN}
    assert [name for name in REGISTERED if name not in rows] == []
    figures = [row.entry for row in DRAWN if row.label.startswith("Figure")]
    assert len(set(figures)) == len(figures)


def test_rows_and_reproductions_agree_on_paper_number_and_sweep() -> None:
    for row in DRAWN:
        entry = REGISTERED.get(row.entry or "")
        if entry is None:
            continue
        assert entry.paper == row.paper, row
        assert re.search(rf"\b{re.escape(row.label)}(?![.\d]*\d)", entry.place, re.IGNORECASE), row
        assert (entry.sweep is not None) == (row.status is Status.SWEEP), row
        if entry.sweep is not None:
            assert row.note == f"preset {entry.sweep}"


def test_tables_of_formulas_name_a_module_that_has_them() -> None:
    rows = [row for row in PRINTED if row.status is Status.FORMULAS]
    assert {row.label for row in rows} == {"Table 2.1", "Table 2.2", "Table 5.1"}
    for row in rows:
        assert row.entry is not None
        module = import_module(row.entry)
        assert {"KL", "REVERSE_KL", "CHI2", "GAN", "JS", "TV", "HELLINGER"} <= set(vars(module))


def test_what_is_missing_is_named() -> None:
    for row in PRINTED:
        missing = row.status in (Status.DATA, Status.GPU)
        assert bool(row.note) if missing else True, row
        assert (row.entry is None) == (missing or row.status is Status.SCHEMATIC), row
        assert 0 < len(row.what) <= 60, row


def test_labels_are_unique_and_papers_come_in_order() -> None:
    assert len({(row.paper, row.label) for row in PRINTED}) == len(PRINTED)
    places = [ORDER.index(row.paper) for row in PRINTED]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("paper", "kind", "last"),
    [
        (THESIS, "Figure", {"1": 2, "2": 6, "3": 14, "4": 13, "5": 14, "6": 17, "7": 1, "A.2": 1, "B.1": 1}),
        (THESIS, "Table", {"1": 1, "2": 2, "3": 2, "5": 3, "6": 4}),
        (SAJJADI, "Figure", {"": 12}),
        (SIMON, "Figure", {"": 6}),
        (DJOLONGA, "Figure", {"": 7}),
    ],
)
def test_no_number_of_the_lists_of_figures_and_tables_is_missing(
    paper: str, kind: str, last: dict[str, int]
) -> None:
    """The thesis prints both lists; of the other papers the last figure is known. None of them has a table."""
    wanted = [f"{chapter}.{i}".lstrip(".") for chapter, end in last.items() for i in range(1, end + 1)]
    found = [
        re.sub(r",.*", "", row.label.removeprefix(kind).strip())
        for row in PRINTED
        if row.paper == paper and row.label.startswith(kind)
    ]
    assert list(dict.fromkeys(found)) == wanted
    if paper != THESIS:
        assert not any(row.paper == paper and row.label.startswith("Table") for row in PRINTED)
