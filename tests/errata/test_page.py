"""docs/errata.md and this folder name each other: every row has its test, every test its row."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests" / "errata"
PAGE = ROOT / "docs" / "errata.md"
COLUMNS = 6
NUMBER = re.compile(r"[A-Z]\d+")
REFERENCE = re.compile(r"`(tests/errata/\w+\.py)::(test_\w+)`")


def rows() -> list[list[str]]:
    """The cells of every numbered table row; a pipe inside a cell is written \\|."""
    found = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if cells and NUMBER.fullmatch(cells[0]):
            found.append(cells)
    return found


def table_lines() -> list[str]:
    """Every line of a table that is neither its head nor its rule."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    return [line for line in lines if not line.startswith(("| # |", "|---"))]


def errata_tests() -> set[tuple[str, str]]:
    """(path, name) of every test function of this folder, but for those of this file."""
    found = set()
    for file in FOLDER.glob("test_*.py"):
        if file.name != Path(__file__).name:
            for node in ast.parse(file.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                    found.add((f"tests/errata/{file.name}", node.name))
    return found


def named_tests() -> list[tuple[str, str]]:
    return [reference for row in rows() for reference in REFERENCE.findall(row[-1])]


def test_every_table_line_is_a_numbered_row() -> None:
    assert len(rows()) == len(table_lines()) > 0


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_row_is_complete(row: list[str]) -> None:
    assert len(row) == COLUMNS
    assert all(row), "no cell may be empty"
    assert row[2] != row[3], "printed and corrected forms must differ"
    assert len(REFERENCE.findall(row[-1])) == 1


def test_numbers_are_unique() -> None:
    repeated = [number for number, count in Counter(row[0] for row in rows()).items() if count > 1]
    assert not repeated


def test_every_row_names_an_existing_test() -> None:
    assert not sorted(set(named_tests()) - errata_tests())


def test_every_test_is_named_by_one_row() -> None:
    assert not sorted(errata_tests() - set(named_tests()))
    repeated = [reference for reference, count in Counter(named_tests()).items() if count > 1]
    assert not repeated
