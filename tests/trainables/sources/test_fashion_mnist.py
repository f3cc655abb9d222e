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
    (tmp_path / "short").write_bytes(content[:-1])
    with pytest.raises(ValueError, match=r"6 bytes of data .* got 5"):
        read_idx(tmp_path / "short")
    (tmp_path / "other").write_bytes(b"PNG")
    with pytest.raises(ValueError, match="IDX file"):
        read_idx(tmp_path / "other")


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
