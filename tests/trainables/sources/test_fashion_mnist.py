"""Reading IDX files, and the real Fashion-MNIST."""

from __future__ import annotations

import gzip

import pytest
import torch

from trainables.sources.fashion_mnist import CLASSES, FOLDER, fashion_mnist, read_idx


def _idx(shape, data):
    return b"\x00\x00\x08" + bytes([len(shape)]) + b"".join(n.to_bytes(4, "big") for n in shape) + data


def test_idx_plain_and_gzipped(tmp_path):
    content = _idx((2, 3), bytes(range(6)))
    (tmp_path / "a").write_bytes(content)
    (tmp_path / "a.gz").write_bytes(gzip.compress(content))
    for name in ("a", "a.gz"):
        assert read_idx(tmp_path / name).tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PNG",
        _idx((2, 3), bytes(5)),  # shorter than it says
        _idx((2, 3), bytes(7)),
        _idx((2, 3), b""),
        _idx((2**31, 2**31), bytes(6)),
        _idx((1,) * 9, bytes(1)),
        b"\0\0\x0b\1\0\0\0\2" + bytes(4),  # whole numbers of 16 bits
        b"\0\0\x07\1\0\0\0\2" + bytes(4),  # no type there is
    ],
)
def test_damaged_files_are_refused_in_a_sentence(content, tmp_path):
    (tmp_path / "a").write_bytes(content)
    (tmp_path / "a.gz").write_bytes(gzip.compress(content))
    for name in ("a", "a.gz"):
        with pytest.raises(ValueError, match=f"{name} must be an IDX file"):
            read_idx(tmp_path / name)


def test_a_damaged_gzip_file_is_refused_in_a_sentence(tmp_path):
    whole = gzip.compress(_idx((2, 3), bytes(range(6))))
    for content in (b"", b"PK", whole[:-9], whole[:12] + b"\xff" + whole[13:]):
        (tmp_path / "a.gz").write_bytes(content)
        with pytest.raises(ValueError, match="must be an IDX file"):
            read_idx(tmp_path / "a.gz")


def test_a_gzip_file_is_unpacked_up_to_a_limit(tmp_path, monkeypatch):
    (tmp_path / "a.gz").write_bytes(gzip.compress(_idx((5 << 20,), bytes(5 << 20))))
    assert read_idx(tmp_path / "a.gz").shape == (5 << 20,)
    monkeypatch.setattr("trainables.sources.fashion_mnist._LARGEST", 1 << 21)
    with pytest.raises(ValueError, match="must be an IDX file"):
        read_idx(tmp_path / "a.gz")


def test_missing_files_say_how_to_get_them(tmp_path):
    with pytest.raises(ValueError, match="dataset-fashion-mnist"):
        fashion_mnist("train", tmp_path)


@pytest.mark.skipif(not FOLDER.is_dir(), reason="the Debian package dataset-fashion-mnist is not installed")
def test_the_real_thing():
    images, labels = fashion_mnist("test")
    assert images.shape == (10_000, 1, 28, 28)
    assert images.dtype == torch.uint8
    assert torch.bincount(labels).tolist() == [1000] * len(CLASSES)
    assert float(images.float().mean()) == pytest.approx(73.15, abs=0.1)
