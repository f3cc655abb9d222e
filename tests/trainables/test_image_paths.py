"""Images are found in order, hidden ones left out; empty and mixed folders are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.trainables.datasets.made_sets import make_folder, picture
from trainables.image_paths import check_folder, image_paths


def test_images_are_found_in_order(tmp_path: Path) -> None:
    kept = ["b.PNG", "a.jpg", "sub/z.webp", "sub/c.tiff"]
    for name in (*kept, "notes.txt", "._a.jpg", ".thumbnails/a.png", "sub/.cache/x.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    root = f"{tmp_path}/"
    assert [path.removeprefix(root) for path in image_paths(tmp_path, deep=False)] == ["a.jpg", "b.PNG"]
    assert [path.removeprefix(root) for path in image_paths(tmp_path, deep=True)] == [
        "a.jpg", "b.PNG", "sub/c.tiff", "sub/z.webp",
    ]  # fmt: skip


@pytest.mark.parametrize("inside", ["", "notes.txt", ".thumbnails/a.png", "._a.png"])
def test_a_folder_without_images_is_refused(tmp_path: Path, inside: str) -> None:
    make_folder(tmp_path, ("cats",), each=1)
    empty = tmp_path / "empty"
    (empty / ".thumbnails").mkdir(parents=True)
    if inside:
        (empty / inside).touch()
    for folder, names in ((empty, ()), (tmp_path, ("cats", "empty"))):
        with pytest.raises(ValueError, match=r"empty must hold images \(.bmp, .jpeg.*but it has none"):
            check_folder(folder, names)
    check_folder(tmp_path, ("cats",))


def test_images_beside_subfolders_are_refused(tmp_path: Path) -> None:
    make_folder(tmp_path, ("cats",), each=3)
    picture(0, 9, 9).save(tmp_path / "stray.png")
    with pytest.raises(
        ValueError, match=r"must hold images or subfolders of them, but has both, .*stray.png"
    ):
        check_folder(tmp_path, ("cats",))
