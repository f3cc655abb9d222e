"""Data that is not here is downloaded once, whole or not at all; without a network one sentence says what to do."""

from __future__ import annotations

import logging
import socket
from pathlib import Path
from urllib.error import URLError

import pytest
import torchvision

from tests.trainables.datasets.made_sets import make_mnist
from trainables.datasets.mnist import LAYOUT
from trainables.sources.download import obtained


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("TRADEOFF_DATA", raising=False)


def serve(monkeypatch: pytest.MonkeyPatch, broken: bool = False) -> list[str]:
    """Torchvision's class replaced by one that makes files; the folders it was asked for."""
    asked = []

    def kind(root: str, download: bool) -> None:
        assert download
        assert socket.getdefaulttimeout() == 30
        asked.append(root)
        made = make_mnist(Path(root) / "MNIST" / "raw", train=20, test=10)
        if broken:
            (made / "t10k-labels-idx1-ubyte.gz").unlink()
            raise RuntimeError("File not found or corrupted.")

    monkeypatch.setattr(torchvision.datasets, "MNIST", kind)
    return asked


def test_what_is_here_is_not_downloaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = serve(monkeypatch)
    here = make_mnist(tmp_path / "home" / "datasets" / "MNIST" / "raw", train=20, test=10)
    assert obtained(LAYOUT, None) == here
    assert asked == []


def test_it_is_downloaded_once_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    asked, before = serve(monkeypatch), socket.getdefaulttimeout()
    with caplog.at_level(logging.WARNING):
        first, again = obtained(LAYOUT, None), obtained(LAYOUT, None)
    assert first == again == tmp_path / "home" / "datasets" / "MNIST" / "raw"
    assert len(asked) == 1
    assert f"MNIST is not here: downloading it into {tmp_path / 'home' / 'datasets'}" in caplog.text
    assert socket.getdefaulttimeout() == before
    assert not Path(asked[0]).exists()


def test_it_goes_into_the_first_root_that_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(monkeypatch)
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("TRADEOFF_DATA", str(tmp_path / "file"))
    assert obtained(LAYOUT, None) == tmp_path / "home" / "datasets" / "MNIST" / "raw"


@pytest.mark.parametrize("name", ["file", "nowhere"])
def test_a_root_that_is_named_must_be_there(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(monkeypatch)
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(
        ValueError, match=rf"^dataset\.root must be a folder .* none at {tmp_path}/{name}; correct it, or"
    ):
        obtained(LAYOUT, str(tmp_path / name))
    assert not (tmp_path / "nowhere").exists()


def test_half_a_download_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    serve(monkeypatch, broken=True)
    with pytest.raises(
        ValueError, match=r"nor could it be downloaded \(RuntimeError: File not found or corr"
    ):
        obtained(LAYOUT, None)
    assert not [path for path in (tmp_path / "home").rglob("*ubyte*") if path.is_file()]


def test_without_a_network_one_sentence_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kind(root: str, download: bool) -> None:
        raise RuntimeError(
            f"Error downloading a file:\nTried a mirror, got:\n{URLError('no network')}\n" + 999 * "x"
        )

    monkeypatch.setattr(torchvision.datasets, "MNIST", kind)
    (tmp_path / "mine").mkdir()
    with pytest.raises(ValueError, match=r".") as refusal:
        obtained(LAYOUT, str(tmp_path / "mine"))
    said = str(refusal.value)
    assert "\n" not in said
    assert "xxx…)" in said
    assert said.startswith("MNIST was not found: looked for train-images-idx3-ubyte, ")
    for word in (
        f"{tmp_path}/mine",
        f"{tmp_path}/home/datasets",
        "no network",
        "dataset.root",
        "TRADEOFF_DATA",
    ):
        assert word in said
