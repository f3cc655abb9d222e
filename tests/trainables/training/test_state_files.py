"""Names of states are read without opening them; documents lie beside trials and are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from trainables.training.local_files import LocalFiles
from trainables.training.state_files import StateFiles, iterations_in, state_name

NAMES = [
    "9.pt",
    "10.pt",
    "100.pt",
    "latest.pt",
    ".11.pt.7.partial",
    "12.pt.aside-1",
    "²3.pt",
    "note.txt",
    "pt",
]


def test_iterations_are_read_from_names() -> None:
    assert iterations_in(NAMES) == [9, 10, 100]
    assert iterations_in([]) == []
    assert iterations_in([state_name(12)]) == [12]


def test_files_set_aside_keep_their_contents_and_never_replace_each_other(tmp_path: Path) -> None:
    files = LocalFiles(tmp_path)
    for number in (1, 2, 3):
        files.write("a", "5.pt", str(number).encode())
        assert files.read("a", files.set_aside("a", "5.pt")) == str(number).encode()
    assert iterations_in(files.names("a")) == []
    assert sorted(files.names("a")) == ["5.pt.aside-1", "5.pt.aside-2", "5.pt.aside-3"]


def test_a_document_is_replaced_as_a_whole_and_is_no_trial(tmp_path: Path) -> None:
    files = LocalFiles(tmp_path)
    document = files.document("demo-1a2b")
    assert document.load() is None
    document.save('{"λ": 1}')
    document.save('{"λ": 2}')
    assert files.document("demo-1a2b").load() == '{"λ": 2}'
    assert document.place == str(tmp_path / "studies" / "demo-1a2b.json")
    assert files.listing() == {}
    for name in ("", "../a"):
        with pytest.raises(ValueError, match="a document must have a name without '/'"):
            files.document(name)


def test_a_document_that_is_no_text_is_told(tmp_path: Path) -> None:
    files = LocalFiles(tmp_path)
    files.write("studies", "demo.json", b"\xff")
    with pytest.raises(ValueError, match="utf-8"):
        files.document("demo").load()


class Far(LocalFiles):
    far = True


@pytest.mark.parametrize("kind", [LocalFiles, Far])
def test_work_on_many_files_keeps_their_order_and_raises_the_first_fault(
    tmp_path: Path, kind: type[StateFiles]
) -> None:
    files = kind(tmp_path)  # type: ignore[call-arg]
    assert files.each(lambda number: number * number, range(100)) == [number**2 for number in range(100)]

    def work(number: int) -> int:
        begun.append(number)
        if number == 3:
            raise OSError("the third")
        return number

    begun: list[int] = []
    with pytest.raises(OSError, match="the third"):
        files.each(work, range(10_000))
    assert len(begun) < 10_000, "what had not begun is not begun"
