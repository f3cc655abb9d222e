"""The real Fashion-MNIST, where it is installed."""

from __future__ import annotations

import pytest
import torch

from tests.trainables.datasets.made_sets import make_mnist
from trainables.sources.fashion_mnist import FOLDER, fashion_mnist


def test_missing_files_say_how_to_get_them(tmp_path):
    with pytest.raises(ValueError, match=f"train-images-idx3-ubyte.* in {tmp_path}.*dataset-fashion-mnist"):
        fashion_mnist("train", tmp_path)


def test_a_folder_can_be_given(tmp_path):
    make_mnist(tmp_path, train=20, test=10)
    images, labels = fashion_mnist("test", tmp_path)
    assert images.shape == (10, 1, 28, 28)
    assert labels.tolist() == list(range(10))


@pytest.mark.skipif(not FOLDER.is_dir(), reason="the Debian package dataset-fashion-mnist is not installed")
def test_the_real_thing(monkeypatch, tmp_path):
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path))
    monkeypatch.delenv("TRADEOFF_DATA", raising=False)
    images, labels = fashion_mnist("test")
    assert images.shape == (10_000, 1, 28, 28)
    assert images.dtype == torch.uint8
    assert torch.bincount(labels).tolist() == [1000] * 10
    assert float(images.float().mean()) == pytest.approx(73.15, abs=0.1)
