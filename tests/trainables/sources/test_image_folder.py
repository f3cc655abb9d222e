"""Folders with and without classes; empty, mixed and small ones are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.trainables.datasets.made_sets import make_folder, picture
from trainables.sources.image_folder import read_folder


def test_subfolders_are_classes_and_may_be_deep(tmp_path: Path) -> None:
    make_folder(tmp_path, ("cats", "dogs"), each=6)
    (tmp_path / "dogs" / "old").mkdir()
    picture(0, 9, 9).save(tmp_path / "dogs" / "old" / "last.JPG")
    (tmp_path / "dogs" / "notes.txt").write_text("no image")
    (tmp_path / "dogs" / "._0001.png").write_text("what a Mac leaves behind")
    seen, unseen = read_folder(tmp_path, ("dogs", "cats"), 8, grey=False, held_out=0.25)
    assert (len(seen.files), len(unseen.files)) == (10, 3)
    seen_paths, unseen_paths = seen.files._paths, unseen.files._paths
    assert len({*seen_paths, *unseen_paths}) == 13
    for paths, labels in ((seen_paths, seen.labels), (unseen_paths, unseen.labels)):
        assert labels is not None
        assert ["/cats/" in path for path in paths] == [bool(label) for label in labels.tolist()]


def test_a_flat_folder_has_no_classes(tmp_path: Path) -> None:
    make_folder(tmp_path, (), each=6)
    seen, unseen = read_folder(tmp_path, (), 8, grey=True, held_out=0.5)
    assert (seen.labels, unseen.labels) == (None, None)
    assert seen.files.shape == (1, 8, 8)
    assert seen.files.read_all().shape == (3, 1, 8, 8)


def test_too_few_images_to_hold_some_out_are_refused(tmp_path: Path) -> None:
    make_folder(tmp_path, (), each=3)
    with pytest.raises(
        ValueError, match=r"held_out must leave samples on both sides, got 0.1 of 3"
    ) as refusal:
        read_folder(tmp_path, (), 8, False, 0.1)
    assert str(tmp_path) in str(refusal.value)


def test_what_planning_refuses_is_refused_here_too(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="must hold images"):
        read_folder(tmp_path, (), 8, False, 0.5)
