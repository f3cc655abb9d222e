"""Weights are found at a path, in the hub cache or in a package, and only tensors are read."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
import torch

from trainables.features.weight_files import LARGEST_PACKED, check_archive, find_weights, load_state


def test_a_package_that_carries_weights(tmp_path, monkeypatch):
    package = tmp_path / "carrier_of_weights"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('finding weights must not import the package')")
    (package / "net.pt").write_bytes(b"x")
    monkeypatch.syspath_prepend(tmp_path)
    found = find_weights("x", None, ("absent.pth",), {"carrier_of_weights": "net.pt"}, "advice")
    assert found == package / "net.pt"


def test_a_given_path_wins_over_the_cache_and_the_cache_over_a_package(tmp_path, monkeypatch):
    monkeypatch.setattr(torch.hub, "_hub_dir", str(tmp_path / "hub"))
    monkeypatch.setenv("HOME", str(tmp_path))
    cache = tmp_path / "hub" / "checkpoints"
    cache.mkdir(parents=True)
    for path in (tmp_path / "mine.pth", cache / "second.pth"):
        path.write_bytes(b"x")
    cached, packaged = ("first.pth", "second.pth"), {"torch": "__init__.py"}
    assert find_weights("x", "~/mine.pth", cached, packaged, "advice") == tmp_path / "mine.pth"
    assert find_weights("x", None, cached, packaged, "advice") == cache / "second.pth"
    assert find_weights("x", None, ("absent.pth",), packaged, "advice").name == "__init__.py"


def test_nothing_found_says_where_was_looked_and_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(torch.hub, "_hub_dir", str(tmp_path))
    told = (
        r"weights of X were not found: looked for a\.pth, b\.pth in .*checkpoints and for the package no_such"
    )
    with pytest.raises(ValueError, match=told + "_package; get one"):
        find_weights("X", None, ("a.pth", "b.pth"), {"no_such_package": "c.pt"}, "get one")
    with pytest.raises(ValueError, match=r"weights of X must be a file, but .* is none; get one"):
        find_weights("X", tmp_path, (), {}, "get one")


class Hostile:
    def __reduce__(self):
        return (Path.touch, (Path("hacked"),))


def test_only_a_dict_of_tensors_is_read_and_nothing_is_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    state = {"weight": torch.arange(3.0), "bias": torch.zeros(1)}
    torch.save(state, "good.pth")
    found = load_state(Path("good.pth"))
    assert found.keys() == state.keys()
    assert torch.equal(found["weight"], state["weight"])
    for name, content in (("list.pth", [torch.zeros(1)]), ("number.pth", {"a": 3})):
        torch.save(content, name)
        with pytest.raises(ValueError, match=f"{name} must hold a state dict of tensors, got (list|dict)"):
            load_state(Path(name))
    torch.save({"a": Hostile()}, "hostile.pth")
    with pytest.raises(
        ValueError, match=r"hostile\.pth must hold a state dict of tensors, but it is damaged or holds more"
    ):
        load_state(Path("hostile.pth"))
    assert not Path("hacked").exists()


def test_archives_that_grow_or_are_damaged_are_refused(tmp_path):
    torch.save({"a": torch.zeros(9)}, tmp_path / "good.pth")
    assert check_archive(tmp_path / "good.pth")
    torch.save({"a": torch.zeros(9)}, tmp_path / "old.pth", _use_new_zipfile_serialization=False)
    assert not check_archive(tmp_path / "old.pth")
    assert load_state(tmp_path / "old.pth").keys() == {"a"}
    with zipfile.ZipFile(tmp_path / "bomb.pth", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x/data/0", bytes(LARGEST_PACKED + 1))
    with pytest.raises(
        ValueError, match=f"never packs weights, but unpacked it has {LARGEST_PACKED + 1} bytes"
    ):
        load_state(tmp_path / "bomb.pth")
    (tmp_path / "cut.pth").write_bytes(b"PK\5\6" + b"\xff" * 16 + bytes(2))
    with pytest.raises(ValueError, match="its archive is damaged"):
        load_state(tmp_path / "cut.pth")
