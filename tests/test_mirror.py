"""The tests mirror the source tree: every source file has its namesake, every member its line in a contract suite."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.sweep.plugins import ALL_FAMILIES

ROOT = Path(__file__).parents[1]
SOURCES = sorted(
    path.relative_to(ROOT)
    for package in ("trainables", "explorer", "app")
    for path in (ROOT / package).rglob("*.py")
    if path.name not in ("__init__.py", "__main__.py")
)
FOLDERS = {Path(family.package.replace(".", "/")): family for family in ALL_FAMILIES}


def is_member(source: Path) -> bool:
    """A file of a family's folder that defines members; its contract suite asks for a line, not for a file."""
    family = FOLDERS.get(source.parent)
    names = {kind.__module__.rpartition(".")[2] for kind in family.loaded().values()} if family else set()
    return source.stem in names


@pytest.mark.parametrize("source", [s for s in SOURCES if not is_member(s)], ids=str)
def test_every_source_file_has_its_namesake(source: Path) -> None:
    assert (ROOT / "tests" / source.parent / f"test_{source.name}").is_file()


@pytest.mark.parametrize("folder", sorted(FOLDERS), ids=str)
def test_every_family_has_a_contract_suite_that_names_its_members(folder: Path) -> None:
    suite = ROOT / "tests" / folder / "test_contract.py"
    text = suite.read_text(encoding="utf-8")
    for kind in FOLDERS[folder].loaded().values():
        assert kind.__name__ in text, f"{kind.__name__} is not in {suite.name} of {folder}"
