"""A figure or table is found by its name here and by what its paper calls it, unless several papers do."""

from __future__ import annotations

import pytest

from explorer.errors import UserError
from explorer.reproduce import REPRODUCTIONS
from explorer.reproduce.naming import named

KNOWN = [entry.name for entry in REPRODUCTIONS]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("table-6.1", "thesis-table-6.1"),
        ("Table-6.1", "thesis-table-6.1"),
        ("thesis-table-6.1", "thesis-table-6.1"),
        ("figure-6.7", "thesis-6.7"),
        ("6.7", "thesis-6.7"),
        ("6.1", "thesis-6.1"),
        ("table-3.2", "thesis-3.11"),
        ("b.1.1", "thesis-b.1.1"),
        ("figure-11", "sajjadi-11"),
    ],
)
def test_what_one_paper_prints_is_found_by_its_label(said: str, meant: str) -> None:
    assert named(said, KNOWN) == meant


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("2", r"several papers print '2'; say djolonga-2 or sajjadi-2 or simon-2"),
        ("table-6.2", r"not reproduced \(Table 6.2 of Verine: needs data we cannot have, CIFAR-10"),
        ("table-2.1", r"formulas, in code, in trainables\.divergences\.closed_forms"),
        ("figure-2.3", r"Figure 2\.3 of Verine: schematic\)"),
        ("thesis6.7", r"no figure is called 'thesis6\.7'; did you mean 'thesis-6\.7'"),
    ],
)
def test_what_is_not_found_is_told_with_its_reason(said: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        named(said, KNOWN)
