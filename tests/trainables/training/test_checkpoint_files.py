"""Names of checkpoints are read without opening them; a file set aside is found by nobody and lost by nobody."""

from __future__ import annotations

from pathlib import Path

from trainables.training.checkpoint_files import checkpoint_file, iterations_of, set_aside


def test_iterations_are_read_from_names(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    for name in (
        "9.pt",
        "10.pt",
        "100.pt",
        "latest.pt",
        ".11.pt.7.partial",
        "12.pt.aside-1",
        "²3.pt",
        "note.txt",
    ):
        (tmp_path / "a" / name).write_bytes(b"")
    assert iterations_of(tmp_path, "a") == [9, 10, 100]
    assert iterations_of(tmp_path, "never seen") == []
    assert checkpoint_file(tmp_path, "a", 10) == tmp_path / "a" / "10.pt"


def test_files_set_aside_keep_their_contents_and_never_replace_each_other(tmp_path: Path) -> None:
    file = checkpoint_file(tmp_path, "a", 5)
    file.parent.mkdir()
    for number in (1, 2, 3):
        file.write_text(str(number))
        assert set_aside(file).read_text() == str(number)
    assert iterations_of(tmp_path, "a") == []
    assert sorted(p.name for p in file.parent.iterdir()) == ["5.pt.aside-1", "5.pt.aside-2", "5.pt.aside-3"]
