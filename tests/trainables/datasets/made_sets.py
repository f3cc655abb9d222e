"""Small sets in the very formats of the real ones: IDX files, pickles of CIFAR-10, CelebA's lists, folders."""

from __future__ import annotations

import gzip
import pickle
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

ATTRIBUTES = ("Bald", "Smiling")


def idx(array: np.ndarray) -> bytes:
    """An IDX file of bytes."""
    sizes = b"".join(n.to_bytes(4, "big") for n in array.shape)
    return b"\x00\x00\x08" + bytes([array.ndim]) + sizes + array.astype(np.uint8).tobytes()


def labelled(count: int, shape: tuple[int, ...], seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Random bytes, whose first is the label, and labels 0, 1, … 9, 0, …"""
    images = np.random.default_rng(seed).integers(0, 256, (count, *shape), dtype=np.uint8)
    labels = np.arange(count) % 10
    images.reshape(count, -1)[:, 0] = labels
    return images, labels


def make_mnist(folder: Path, train: int = 300, test: int = 210, packed: bool = True) -> Path:
    """The four files of MNIST in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for seed, (prefix, count) in enumerate((("train", train), ("t10k", test))):
        images, labels = labelled(count, (28, 28), seed)
        for name, array in (("images-idx3", images), ("labels-idx1", labels)):
            content, end = (gzip.compress(idx(array), 1), ".gz") if packed else (idx(array), "")
            (folder / f"{prefix}-{name}-ubyte{end}").write_bytes(content)
    return folder


def make_cifar10(folder: Path, batch: int = 60, test: int = 210, protocol: int = 2) -> Path:
    """The six batches of CIFAR-10 in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    names = [f"data_batch_{number}" for number in range(1, 6)]
    for seed, name in enumerate([*names, "test_batch"]):
        images, labels = labelled(test if name == "test_batch" else batch, (3072,), seed)
        content = {"data": images, "labels": labels.tolist(), "batch_label": name}
        (folder / name).write_bytes(pickle.dumps(content, protocol=protocol))
    return folder


def cifar_as_python_2_wrote_it(images: np.ndarray, labels: Sequence[int]) -> bytes:
    """A batch opcode by opcode as cPickle of Python 2 and numpy 1 wrote the real files: byte strings, protocol 2."""

    def word(text: bytes) -> bytes:
        return b"U" + bytes([len(text)]) + text

    def number(value: int) -> bytes:
        return b"J" + value.to_bytes(4, "little", signed=True)

    array = (
        b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\n" + number(0) + b"\x85" + word(b"b") + b"\x87R("
        + number(1) + number(images.shape[0]) + number(images.shape[1]) + b"\x86"
        + b"cnumpy\ndtype\n" + word(b"u1") + number(0) + number(1) + b"\x87R("
        + number(3) + word(b"|") + b"NNN" + number(-1) * 2 + number(0) + b"tb"
        + b"\x89T" + len(images.tobytes()).to_bytes(4, "little") + images.tobytes() + b"tb"
    )  # fmt: skip
    listed = b"](" + b"".join(map(number, labels)) + b"e"
    return b"\x80\x02}(" + word(b"data") + array + word(b"labels") + listed + b"u."


def picture(seed: int, width: int, height: int) -> Image.Image:
    """Colours that vary slowly, and another for every seed."""
    coarse = np.random.default_rng(seed).integers(0, 256, (5, 4, 3), dtype=np.uint8)
    return Image.fromarray(coarse).resize((width, height), Image.Resampling.BILINEAR)


def make_celeba(folder: Path, train: int = 40, test: int = 205) -> Path:
    """Aligned faces and both lists; one image of the validation part lies between."""
    (folder / "img_align_celeba").mkdir(parents=True, exist_ok=True)
    parts = [0] * train + [1] + [2] * test
    names = [f"{number:06d}.jpg" for number in range(1, len(parts) + 1)]
    for seed, name in enumerate(names):
        picture(seed, 178, 218).save(folder / "img_align_celeba" / name, quality=80)
    lines = [f"{name} {part}" for name, part in zip(names, parts, strict=True)]
    (folder / "list_eval_partition.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    rows = [f"{name} -1  {1 if number % 3 == 0 else -1}" for number, name in enumerate(names)]
    head = [str(len(names)), " ".join(ATTRIBUTES)]
    (folder / "list_attr_celeba.txt").write_text("\n".join([*head, *rows]) + "\n", encoding="utf-8")
    return folder


def make_folder(folder: Path, classes: Sequence[str] = ("cats", "dogs"), each: int = 20) -> Path:
    """Pictures of several sizes, one subfolder per class, or none."""
    for number, name in enumerate(classes or [""]):
        (folder / name).mkdir(parents=True, exist_ok=True)
        for seed in range(each):
            image = picture(1000 * number + seed, 20 + seed % 7, 24)
            image.save(folder / name / f"{seed:04d}.png")
    return folder
