"""The whole measurement: keys, agreement with the single metrics, the store, errors."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from explorer.errors import UserError
from explorer.measure import MeasureSettings, all_metrics, measure_paths, metric_words
from explorer.measure.command import check_numbers
from explorer.measure.inputs import outline_set
from tests.explorer.measure.fast import FAST
from tests.explorer.measure.mangled.archives import zip_bytes
from tests.explorer.measure.mangled.evil import EXECUTED, Evil
from trainables.measures import (
    frechet_distance,
    gaussian_statistics,
    pr_cover,
    precision_recall_density_coverage,
)


@pytest.fixture
def sets(tmp_path):
    rng = np.random.default_rng(0)
    real = rng.normal(size=(300, 6)).astype(np.float32)
    fake = 0.8 * rng.normal(size=(260, 6)).astype(np.float32) + np.float32(0.2)
    np.save(tmp_path / "real.npy", real)
    np.save(tmp_path / "fake.npy", fake)
    return tmp_path / "real.npy", tmp_path / "fake.npy", real, fake


def _numbers(entry):
    if "ci" in entry:
        yield entry
    else:
        for value in entry.values():
            yield from _numbers(value)


def test_every_number_is_the_metrics_own_with_an_interval(sets, tmp_path):
    real_path, fake_path, real, fake = sets
    values = measure_paths(real_path, fake_path, None, FAST, tmp_path / "cache").values
    assert set(values) == {*metric_words(all_metrics()), "curves", "settings"}
    for name in ("inception_score", "class_coverage", "class_entropy", "class_distance"):
        assert values.pop(name) is None
        assert "logits" in values["settings"]["left_out"][name]
    assert set(values["prd"]) == set(values["classifier"]) == {"f8", "f1_8", "auc"}
    assert set(values["pr_cover"]) == {"precision", "recall"}
    assert set(values["frontier"]) == {"inclusive", "exclusive", "fake_to_real", "real_to_fake"}
    assert set(values["curves"]) == {"prd", "classifier", "frontier.inclusive", "frontier.exclusive"}
    for name, entry in values.items():
        for number in _numbers(entry) if name not in ("curves", "settings") else ():
            low, high = number["ci"]
            assert name in ("fid", "prd") or low <= number["value"] <= high
            assert math.isfinite(low)
            assert low < high, name
            assert number["interval"]
    scores = precision_recall_density_coverage(real, fake, 5)
    for name in ("precision", "recall", "density", "coverage"):
        assert values[name]["value"] == pytest.approx(getattr(scores, name), abs=1e-12)
    expected = frechet_distance(*gaussian_statistics(real), *gaussian_statistics(fake))
    assert values["fid"]["value"] == pytest.approx(expected)
    cover = pr_cover(real, fake, 5, 15)
    assert values["pr_cover"]["precision"]["value"] == pytest.approx(cover.precision)
    assert values["pr_cover"]["recall"]["value"] == pytest.approx(cover.recall)
    assert values["settings"]["real"]["samples"] == 300
    json.dumps(values, allow_nan=False)


def test_the_second_time_reads_the_store(sets, tmp_path, monkeypatch):
    real_path, fake_path, *_ = sets
    first = measure_paths(real_path, fake_path, None, FAST, tmp_path / "cache").values
    stored = sorted((tmp_path / "cache" / "references").glob("*.npz"))
    assert len(stored) == 2  # radii and Gaussian
    times = [path.stat().st_mtime_ns for path in stored]
    again = measure_paths(real_path, fake_path, None, FAST, tmp_path / "cache").values
    assert again == first
    assert [path.stat().st_mtime_ns for path in stored] == times


def test_images_by_pixels_and_by_a_torchscript_file(tmp_path):
    rng = np.random.default_rng(1)
    for name in ("real", "fake"):
        (tmp_path / name).mkdir()
        for i in range(24):
            Image.fromarray(rng.integers(0, 255, size=(4, 4, 3), dtype=np.uint8)).save(
                tmp_path / name / f"{i}.png"
            )
    torch.jit.script(torch.nn.Flatten()).save(tmp_path / "flat.pt")
    settings = MeasureSettings(words=("precision", "fid"), k=3, draws=50, device="cpu")
    stages = []
    by_pixels = measure_paths(
        tmp_path / "real", tmp_path / "fake", "identity", settings, tmp_path / "cache", stages.append
    )
    by_script = measure_paths(
        tmp_path / "real", tmp_path / "fake", str(tmp_path / "flat.pt"), settings, tmp_path / "cache"
    )
    assert by_pixels.values["fid"]["value"] == pytest.approx(by_script.values["fid"]["value"], rel=1e-4)
    assert any("24 of 24" in stage for stage in stages)
    assert by_pixels.values["settings"]["dimension"] == 48


def test_labels_give_modes_and_a_classifier(tmp_path):
    labels = np.arange(120) % 3
    images = np.zeros((120, 8, 8), dtype=np.uint8)
    for c in range(3):
        images[labels == c, 2 * c : 2 * c + 2] = 200
    images += np.random.default_rng(2).integers(0, 40, size=images.shape, dtype=np.uint8)
    np.savez(tmp_path / "real.npz", images=images, labels=labels)
    np.savez(tmp_path / "fake.npz", images=images[labels < 2], labels=labels[labels < 2])
    settings = MeasureSettings(words=("precision", "recall", "inception_score"), k=3, draws=50, device="cpu")
    paths = tmp_path / "real.npz", tmp_path / "fake.npz"
    values = measure_paths(*paths, "classifier", settings, tmp_path / "cache").values
    assert values["precision"]["value"] == 1.0
    assert values["recall"]["value"] == pytest.approx(2 / 3, abs=0.05)
    assert 1 < values["inception_score"]["value"] <= 3
    assert (values["modes"]["covered"], values["modes"]["classes"]) == (2, 3)
    assert values["modes"]["distance"] == pytest.approx(1 / 3)
    assert values["modes"]["precision_by_class"] == [1.0, 1.0, None]  # no fakes of the third class
    assert values["modes"]["recall_by_class"][2] < 0.2 < 0.8 < values["modes"]["recall_by_class"][0]


def test_errors_are_sentences(sets, tmp_path):
    real_path, fake_path, real, _ = sets

    def run(fake, features=None, settings=FAST):
        return measure_paths(real_path, fake, features, settings, tmp_path / "cache")

    np.save(tmp_path / "nan.npy", np.where(np.eye(300, 6) > 0, np.nan, real))
    with pytest.raises(UserError, match="FAKE must be finite, but 6 of 300"):
        run(tmp_path / "nan.npy")
    np.save(tmp_path / "narrow.npy", real[:, :3])
    with pytest.raises(UserError, match="same dimension, got 6 and 3"):
        run(tmp_path / "narrow.npy")
    np.save(tmp_path / "few.npy", real[:10])
    with pytest.raises(UserError, match="k=5 needs more than 15 samples"):
        run(tmp_path / "few.npy")
    with pytest.raises(UserError, match="already holds features"):
        run(fake_path, "inception")
    np.save(tmp_path / "images.npy", np.zeros((20, 4, 4), dtype=np.uint8))
    with pytest.raises(UserError, match="FAKE must too"):
        run(tmp_path / "images.npy")
    images = tmp_path / "images.npy"
    with pytest.raises(
        UserError, match=r"must be .*identity, inception.* or a TorchScript file, got .nonsense."
    ):
        measure_paths(images, images, "nonsense", FAST, tmp_path)
    with pytest.raises(UserError, match="needs class logits"):
        run(fake_path, settings=MeasureSettings(words=("inception_score",), device="cpu"))
    with pytest.raises(UserError, match="k must be at least 1"):
        run(fake_path, settings=MeasureSettings(k=0, device="cpu"))
    for device in ("abacus", "meta", "cuda:x"):
        with pytest.raises(UserError, match="device must be"):
            run(fake_path, settings=MeasureSettings(device=device))
    with pytest.raises(UserError, match="device cuda:99 was asked for, but torch finds"):
        run(fake_path, settings=MeasureSettings(device="cuda:99"))
    with pytest.raises(UserError, match="extractor identity takes no argument, got identity=x"):
        measure_paths(images, images, "identity=x", FAST, tmp_path)
    with pytest.raises(UserError, match=r"weights of VGG16 must be a file"):
        measure_paths(images, images, f"vgg16={tmp_path / 'no.pth'}", FAST, tmp_path)
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UserError, match="cannot be read or written"):
        measure_paths(real_path, fake_path, None, FAST, tmp_path / "file")


def test_what_cannot_be_computed_is_a_sentence(tmp_path, monkeypatch):
    large = np.random.default_rng(0).normal(size=(30, 3))
    large[2] = 1e140
    np.save(tmp_path / "large.npy", large)
    settings = replace(FAST, words=("fid",))
    paths = tmp_path / "large.npy", tmp_path / "large.npy"
    with pytest.raises(UserError, match=r"overflows float64, got 1\.0e\+140"):
        measure_paths(*paths, None, settings, tmp_path)

    def exhausted(*outlines):
        raise MemoryError

    monkeypatch.setattr("explorer.measure.command.load_sets", exhausted)
    with pytest.raises(UserError, match="must fit into memory, and it did not"):
        measure_paths(*paths, None, settings, tmp_path)


def test_of_many_sets_the_one_with_wrong_numbers_is_named(tmp_path):
    for name, value in (("real", 0.0), ("a", 1.0), ("b", np.inf)):
        np.save(tmp_path / f"{name}.npy", np.full((9, 2), value))
    (tmp_path / "images").mkdir()
    Image.new("L", (4, 4)).save(tmp_path / "images" / "0.png")
    real, a, b, folder = (outline_set(tmp_path / name) for name in ("real.npy", "a.npy", "b.npy", "images"))
    told = []
    check_numbers(real, [a, folder], told.append)
    assert told == [f"looking at the numbers of set {i} of 2" for i in (1, 2)]
    with pytest.raises(UserError, match=r"FAKE .*b\.npy must be finite, but 9 of 9"):
        check_numbers(real, [a, b])
    with pytest.raises(UserError, match=r"FAKE must be finite"):
        check_numbers(real, [b])
    with pytest.raises(UserError, match=r"REAL must be finite"):
        check_numbers(b, [a])


X = np.arange(72.0).reshape(24, 3)
PIXELS = X.reshape(24, 1, 1, 3) / 72
BYTES = np.zeros((24, 1, 4, 4), dtype=np.uint8)

HOLE = (10**6, 10**5)  # of bytes that are in the file and not on the disk
REFUSED = {
    "far too many": (HOLE, [], "GB of memory"),
    "infinite": (np.where(X > 60, np.inf, X), [], "REAL must be finite, but 4 of 24"),
    "infinite in a .pt": (torch.from_numpy(X) / 0, [], "REAL must be finite, but 24 of 24"),
    "NaN in bfloat16": ({"features": torch.from_numpy(X).bfloat16() * torch.nan}, [], "REAL must be finite"),
    "too large": (X * 1e200, [], "computed of them overflows float64"),
    "too large in a .pt": (torch.from_numpy(X).float() * 1e20, [], "computed of them overflows float32"),
    "complex": (torch.from_numpy(X) * 1j, [], "must hold real numbers, got complex128"),
    "sparse": (torch.from_numpy(X).to_sparse(), [], "_rebuild_sparse_tensor, which is no plain tensor"),
    "a list": ([torch.zeros(3)], [], "must hold one array"),
    "a number": (3, [], "must hold one array"),
    "a model": (torch.nn.Linear(2, 2), [], "without pickled objects"),
    "an object": ({"features": torch.from_numpy(X), "labels": Evil(Path("nowhere"))}, [], "no plain tensor"),
    "too many axes": (torch.zeros(2, 2, 2, 2, 2), [], "got shape (2, 2, 2, 2, 2)"),
    "labels": ({"features": torch.from_numpy(X), "labels": -torch.arange(24)}, [], "got -23 to 0"),
    "images out of range": (PIXELS * 9, ["--features=identity"], "must lie in [0, 1], got values from 0 to"),
    "images out of range in a .pt": (
        torch.from_numpy(PIXELS) - 9,
        ["--features=identity"],
        "got values from -9 to",
    ),
    "integer images": (
        torch.zeros(24, 1, 4, 4).long(),
        ["--features=identity"],
        "must be bytes or floats in [0, 1]",
    ),
    "channels": (np.zeros((24, 5, 6, 7), np.uint8), ["--features=vgg16=x"], "(n, 1 or 3, height, width)"),
    "no labels": (BYTES, ["--features=classifier"], "trained on real images with labels"),
    "no logits": (X, ["--metrics=inception_score"], "needs class logits"),
    "no weights": (BYTES, ["--features=vgg16=none.pth"], "weights of VGG16 must be a file"),
    "other weights": (BYTES, ["--features=inception=state.pt"], "must hold the FID Inception, but it has no"),
    "weights that run code": (BYTES, ["--features=vgg16=evil.pt"], "holds more than tensors"),
    "a state as network": (BYTES, ["--features=state.pt"], "must be a TorchScript file; save"),
    "a damaged network": (BYTES, ["--features=torchscript=damaged.pt"], "damaged, or of another torch"),
    "no file": (BYTES, ["--features=torchscript"], "needs the file of a network"),
    "few samples": (X[:3], ["--metrics=kid"], "kid needs at least 4 samples in each set"),
}


def test_what_files_and_options_tell_is_refused_before_torch_is_loaded(tmp_path):
    torch.save({"a": torch.zeros(2)}, tmp_path / "state.pt")
    torch.save({"a": Evil(tmp_path)}, tmp_path / "evil.pt")
    members = {"constants": b"N.", "data": b"N."}
    content = zip_bytes([(f"x/{name}.pkl", 0, each, len(each)) for name, each in members.items()])
    (tmp_path / "damaged.pt").write_bytes(content)
    runs = []
    for number, (samples, options, _) in enumerate(REFUSED.values()):
        name = f"{number}.npy" if samples is HOLE or isinstance(samples, np.ndarray) else f"{number}.pt"
        if samples is HOLE:
            np.lib.format.open_memmap(tmp_path / name, "w+", np.uint8, HOLE)
        else:
            np.save(tmp_path / name, samples) if name.endswith("npy") else torch.save(
                samples, tmp_path / name
            )
        runs.append(["tradeoff", "measure", name, name, *options])
    code = (
        "import json, sys\n"
        "from explorer.cli import main\n"
        "for sys.argv in json.loads(sys.argv[1]):\n"
        "    try: main()\n"
        "    except SystemExit as ended: print(ended.code, 'torch' in sys.modules)"
    )
    environment = os.environ | {"TRADEOFF_HOME": str(tmp_path / "home")}
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(runs)],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env=environment,
    )
    told = dict(zip(REFUSED, done.stderr.splitlines(), strict=True))
    for name, (_, _, sentence) in REFUSED.items():
        assert sentence in told[name], name
    assert done.stdout.splitlines() == ["2 False"] * len(REFUSED)
    assert not (tmp_path / EXECUTED).exists()


def test_images_an_extractor_cannot_take_are_sentences(tmp_path):
    rng = np.random.default_rng(3)

    def run(real, fake, features):
        settings = MeasureSettings(words=("precision",), k=3, draws=20, device="cpu")
        return measure_paths(tmp_path / real, tmp_path / fake, features, settings, tmp_path / "cache")

    (tmp_path / "mixed").mkdir()
    for i in range(8):
        Image.new("L", (4 + i % 2, 4), i).save(tmp_path / "mixed" / f"{i}.png")
    with pytest.raises(UserError, match="must have one dimension, got 16, 20"):
        run("mixed", "mixed", "identity")
    labels = np.arange(40) % 2
    small, large = (rng.integers(0, 255, size=(40, s, s), dtype=np.uint8) for s in (8, 9))
    np.savez(tmp_path / "small.npz", images=small, labels=labels)
    np.savez(tmp_path / "large.npz", images=large, labels=labels)
    with pytest.raises(UserError, match=r"shape \(1, 8, 8\) the classifier was trained on, got \(1, 9, 9\)"):
        run("small.npz", "large.npz", "classifier")
    torch.jit.script(torch.nn.Conv2d(3, 2, 3)).save(tmp_path / "net.pt")
    with pytest.raises(UserError, match=r"net\.pt must take images of shape \(32, 1, 8, 8\)"):
        run("small.npz", "small.npz", str(tmp_path / "net.pt"))
    np.save(tmp_path / "nan.npy", np.full((20, 4, 4), np.nan, dtype=np.float32))
    with pytest.raises(UserError, match=r"\[0, 1\], got values from nan"):
        run("nan.npy", "nan.npy", "identity")


def test_a_number_does_not_depend_on_what_else_is_asked_for(sets, tmp_path):
    real_path, fake_path, *_ = sets
    whole = measure_paths(real_path, fake_path, None, FAST, tmp_path / "cache").values
    for name in ("coverage", "fid", "prd", "pr_cover", "classifier", "frontier"):
        settings = replace(FAST, words=(name,))
        assert (
            measure_paths(real_path, fake_path, None, settings, tmp_path / "cache").values[name]
            == whole[name]
        )


def test_inception_score_of_sorted_classes_is_not_one(tmp_path):
    """Splits of a file sorted by class would each hold one class, and score 1. All classes are covered."""
    labels = np.arange(400) // 100
    images = np.zeros((400, 8, 8), dtype=np.uint8)
    images[np.arange(400), 2 * labels] = 255
    np.savez(tmp_path / "x.npz", images=images, labels=labels)
    settings = MeasureSettings(words=("inception_score", "class_coverage"), draws=20, device="cpu")
    paths = tmp_path / "x.npz", tmp_path / "x.npz"
    values = measure_paths(*paths, "classifier", settings, tmp_path).values
    assert values["inception_score"]["value"] > 2.5
    assert values["class_coverage"]["value"] == 1.0


def test_settings_say_how_the_numbers_were_made(sets, tmp_path):
    real_path, fake_path, *_ = sets
    stages = []
    found = measure_paths(real_path, fake_path, None, FAST, tmp_path / "cache", stages.append)
    settings = found.values["settings"]
    assert settings["prd"] == {"clusters": 8, "runs": 2}
    assert settings["frontier"] == {"order": 1.0, "learner": "ensemble"}
    assert (settings["k"], settings["bootstrap_draws"], settings["level"], settings["seed"]) == (
        5,
        100,
        0.95,
        0,
    )
    assert (settings["features"], settings["dimension"], settings["device"]) == (
        "the arrays as given",
        6,
        "cpu",
    )
    assert settings["fake"] == {"path": str(fake_path), "samples": 260}
