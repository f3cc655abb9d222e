"""A folder of images: classes are its subfolders, told without reading an image."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.trainables.datasets.made_sets import make_folder
from trainables.config import TrialConfig
from trainables.datasets.folder import Folder
from trainables.models.dcgan import Dcgan


def test_classes_are_subfolders(tmp_path: Path) -> None:
    make_folder(tmp_path, ("0", "1", "dogs"), each=4)
    (tmp_path / ".thumbnails").mkdir()
    member = Folder(root=str(tmp_path))
    assert (member.classes, member.names(), member.shape) == (3, ("0", "1", "dogs"), (3, 64, 64))
    (tmp_path / "mice").mkdir()
    os.utime(tmp_path, ns=(0, 0))  # clocks of file systems can be coarse
    assert member.classes == 4  # listed anew when the folder changes


def test_some_of_the_classes(tmp_path: Path) -> None:
    make_folder(tmp_path, ("0", "1", "dogs"), each=4)
    some = Folder(root=str(tmp_path), only=("dogs", 1), size=8, grey=True, held_out=0.5, held="stream")
    assert (some.only, some.classes) == (("dogs", "1"), 2)
    source = some.source()
    assert source.streamed
    assert source.classes_names == ("dogs", "1")
    assert source.reference(4).x.shape == (4, 1, 8, 8)


def test_a_flat_folder_has_no_classes(tmp_path: Path) -> None:
    member = Folder(root=str(make_folder(tmp_path, (), each=20)), size=8)
    assert member.classes is None
    source = member.source()
    assert (source.classes, source.classes_names, source.streamed) == (None, None, False)
    assert source.reference(2).y is None


def test_a_relative_root_is_looked_for_where_data_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TRADEOFF_DATA", str(tmp_path / "shared"))
    monkeypatch.chdir(tmp_path)
    for place in ("home/datasets/pets", "shared/pets", "pets"):
        make_folder(tmp_path / place, ("cats",), each=2)
        assert Folder(root="pets").folder().resolve() == tmp_path / place


def test_how_images_are_read_names_no_trial(tmp_path: Path) -> None:
    root = str(make_folder(tmp_path, ("cats",), each=2))
    assert Folder(root=root, held="stream", workers=3).signature() == Folder(root=root).signature()
    assert Folder(root=root).signature() != Folder().signature()


def test_the_root_is_asked_for_when_it_is_needed() -> None:
    member = Folder()
    assert member.classes is None
    with pytest.raises(
        ValueError, match=r"^dataset folder needs the folder of its images; write {name: folder"
    ):
        member.source()
    with pytest.raises(ValueError, match=r"^dataset folder needs the folder of its images"):
        TrialConfig(dataset=member, model=Dcgan())


@pytest.mark.parametrize("names", [(), ("cats", "mice")])
def test_images_are_looked_for_before_anything_is_trained(tmp_path: Path, names: tuple[str, ...]) -> None:
    make_folder(tmp_path, names[:1], each=2 * len(names))
    empty = tmp_path.joinpath(*names[1:])
    empty.mkdir(exist_ok=True)
    (empty / "notes.txt").write_text("none yet")
    member = Folder(root=str(tmp_path))
    with pytest.raises(ValueError, match=f"^{empty} must hold images .* but it has none; add some"):
        TrialConfig(dataset=member, model=Dcgan())
    make_folder(tmp_path, names, each=1)
    TrialConfig(dataset=member, model=Dcgan())


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"root": "nowhere"}, "dataset.root must be a folder of images, but there is none at nowhere, "),
        ({"size": 0}, "dataset.size must be in 1 … 4096, got 0; use 64"),
        ({"held_out": 0.0}, "dataset.held_out must be in [0.001, 0.9], got 0.0; use 0.1"),
        ({"workers": -1}, "dataset.workers must be in 0 … 256, got -1"),
        ({"only": ()}, "dataset.only needs at least one subfolder, got an empty list"),
        ({"only": (1, "1")}, "dataset.only must name each subfolder once, got ['1', '1']"),
    ],
)
def test_refusals(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        Folder(**fields)
    assert str(refusal.value).startswith(sentence)


def test_a_class_that_is_not_there_is_refused_with_the_nearest(tmp_path: Path) -> None:
    make_folder(tmp_path, ("cats", "dogs"), each=1)
    with pytest.raises(ValueError, match=r"must name subfolders of .*, got 'cat'; did you mean 'cats'"):
        Folder(root=str(tmp_path), only=("cat",))
