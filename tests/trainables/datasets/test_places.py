"""Data is looked for in order: the root given, $TRADEOFF_DATA, the data folder, the system's package."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainables.datasets.places import Layout, roots

FOLDERS = ("Things/raw", "things")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TRADEOFF_DATA", str(tmp_path / "shared"))


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout("Things", ("a", "b"), FOLDERS, "Things", own=(".", "raw"), system=(tmp_path / "system",))


def put(folder: Path, *names: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).touch()


def test_the_nearest_place_wins(tmp_path: Path, layout: Layout) -> None:
    assert layout.find(None) is None
    for place in ("system", "home/datasets/things", "shared/things", "shared/Things/raw"):
        put(tmp_path / place, "a", "b.gz")
        assert layout.find(None) == tmp_path / place
    for place in ("mine/things", "mine/Things/raw", "mine/raw", "mine"):
        put(tmp_path / place, "a", "b.gz")
        assert layout.find(str(tmp_path / "mine")) == tmp_path / place
    assert layout.find(str(tmp_path / "other")) == tmp_path / "shared" / "Things" / "raw"


def test_files_of_some_set_in_a_shared_folder_are_nobodys(tmp_path: Path, layout: Layout) -> None:
    """MNIST and Fashion-MNIST call their files alike."""
    put(tmp_path / "shared", "a", "b")
    assert layout.find(None) is None
    assert layout.find(str(tmp_path / "shared")) == tmp_path / "shared"


def test_a_folder_that_lacks_some_is_named(tmp_path: Path, layout: Layout) -> None:
    put(tmp_path / "shared" / "things", "a")
    assert layout.find(None) is None
    said = layout.sought(None)
    assert said.startswith(f"looked for a, b in {tmp_path / 'shared' / 'Things' / 'raw'}, ")
    assert said.endswith(f"; {tmp_path / 'shared' / 'things'} lacks b")


def test_the_data_folder_is_in_the_home_unless_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert roots("~/mine") == [Path.home() / "mine", tmp_path / "shared", tmp_path / "home" / "datasets"]
    monkeypatch.setenv("TRADEOFF_HOME", "")
    monkeypatch.setenv("TRADEOFF_DATA", "")
    assert roots(None) == [Path.home() / ".tradeoff" / "datasets"]


def test_a_path_that_cannot_be_is_refused_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEOFF_DATA", "~nobody-of-that-name/data")
    with pytest.raises(ValueError, match=r"^TRADEOFF_DATA must begin with a user of this machine"):
        roots(None)
