"""Batches of CIFAR-10 are read as data, however they were pickled, and refused when damaged or hostile."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.trainables.datasets.made_sets import cifar_as_python_2_wrote_it, labelled
from trainables.sources.cifar10 import read_batches


def written(path: Path, **changes: Any) -> Path:
    images, labels = labelled(20, (3072,), 0)
    path.write_bytes(pickle.dumps({"data": images, "labels": labels.tolist(), **changes}, protocol=2))
    return path


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_channels_come_first_and_files_follow_each_other(protocol: int, tmp_path: Path) -> None:
    paths, parts = [], []
    for seed in range(2):
        images, labels = labelled(12, (3072,), seed)
        parts.append(images)
        paths.append(tmp_path / str(seed))
        paths[-1].write_bytes(pickle.dumps({"data": images, "labels": labels.tolist()}, protocol=protocol))
    x, y = read_batches(paths)
    assert x.shape == (24, 3, 32, 32)
    assert torch.equal(x.flatten(1), torch.from_numpy(np.concatenate(parts)))
    assert x[3, 2, 1, 5] == parts[0][3, 2 * 1024 + 1 * 32 + 5]
    assert y is not None
    assert y.tolist() == [*range(10), 0, 1] * 2


def test_the_bytes_of_the_real_files_are_read(tmp_path: Path) -> None:
    images, labels = labelled(15, (3072,), 3)
    content = cifar_as_python_2_wrote_it(images, labels.tolist())
    assert np.array_equal(
        pickle.loads(content, encoding="bytes")[b"data"], images
    )  # numpy reads it so as well
    (tmp_path / "data_batch_1").write_bytes(content)
    x, y = read_batches([tmp_path / "data_batch_1"])
    assert torch.equal(x.flatten(1), torch.from_numpy(images))
    assert y is not None
    assert y.tolist() == labels.tolist()


class Hostile:
    """What would run a command if it were unpickled."""

    def __reduce__(self) -> Any:
        return os.mkdir, ("made",)


def test_nothing_that_a_file_names_is_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path / "data_batch_1", extra=Hostile())
    with pytest.raises(ValueError, match=r"data_batch_1 must be a batch of CIFAR-10.*get it again"):
        read_batches([path])
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"labels": [0] * 19},
        {"labels": [0] * 19 + [10]},
        {"labels": [0] * 19 + [-1]},
        {"labels": [0.5] * 20},
        {"labels": "a" * 20},
        {"data": np.zeros((20, 3071), dtype=np.uint8)},
        {"data": np.zeros((0, 3072), dtype=np.uint8)},
        {"data": np.zeros(3072, dtype=np.uint8)},
        {"data": np.zeros((20, 3072), dtype=np.float32)},
        {"data": np.asfortranarray(np.zeros((20, 3072), dtype=np.uint8))},
        {"data": [0] * 20},
    ],
)
def test_what_does_not_fit_is_refused_by_the_name_of_its_file(
    changes: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=r"test_batch must (hold|be).*get it again"):
        read_batches([written(tmp_path / "test_batch", **changes)])


def test_damage_is_refused_by_the_name_of_its_file(tmp_path: Path) -> None:
    whole = written(tmp_path / "test_batch").read_bytes()
    for content in (b"", b"PK", whole[:-1], whole[:1000], pickle.dumps([1, 2]), b"\x80\x02."):
        (tmp_path / "test_batch").write_bytes(content)
        with pytest.raises(ValueError, match="test_batch must be a batch of CIFAR-10"):
            read_batches([tmp_path / "test_batch"])
    with pytest.raises(ValueError, match="absent must be a batch of CIFAR-10"):
        read_batches([tmp_path / "absent"])
