"""Weights are found at a path, in the hub cache or in a package, and only tensors are read."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
import torch

from trainables.extractors.inception import WEIGHTS as INCEPTION
from trainables.extractors.vgg16 import WEIGHTS as VGG16
from trainables.extractors.weight_files import (
    LARGEST_PACKED,
    Images,
    Weights,
    check_archive,
    check_channels,
    check_state,
    check_torchscript,
    find_weights,
    is_torchscript,
    load_state,
)


def weights(cached=(), packaged=None, what="x", advice="get one"):
    return Weights(what, "first", (2, 3), advice, tuple(cached), packaged or {})


def test_a_package_that_carries_weights(tmp_path, monkeypatch):
    package = tmp_path / "carrier_of_weights"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('finding weights must not import the package')")
    (package / "net.pt").write_bytes(b"x")
    monkeypatch.syspath_prepend(tmp_path)
    found = find_weights(weights(["absent.pth"], {"carrier_of_weights": "net.pt"}), None)
    assert found == package / "net.pt"


def test_a_given_path_wins_over_the_cache_and_the_cache_over_a_package(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    cache = tmp_path / "hub" / "checkpoints"
    cache.mkdir(parents=True)
    for path in (tmp_path / "mine.pth", cache / "second.pth"):
        path.write_bytes(b"x")
    cached, packaged = ("first.pth", "second.pth"), {"torch": "__init__.py"}
    assert find_weights(weights(cached, packaged), "~/mine.pth") == tmp_path / "mine.pth"
    assert find_weights(weights(cached, packaged), None) == cache / "second.pth"
    assert find_weights(weights(["absent.pth"], packaged), None).name == "__init__.py"


def test_nothing_found_says_where_was_looked_and_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    told = (
        r"weights of X were not found: looked for a\.pth, b\.pth in .*checkpoints and for the package no_such"
    )
    with pytest.raises(ValueError, match=told + "_package; get one"):
        find_weights(weights(["a.pth", "b.pth"], {"no_such_package": "c.pt"}, "X"), None)
    with pytest.raises(ValueError, match=r"weights of X must be a file, but .* is none; get one"):
        find_weights(weights(what="X"), tmp_path)


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


def test_the_cache_is_the_one_of_torch(tmp_path, monkeypatch):
    monkeypatch.setattr(torch.hub, "_hub_dir", None)
    for home, caches in ((tmp_path / "a", None), (None, tmp_path / "b"), (None, None)):
        for name, value in (("TORCH_HOME", home), ("XDG_CACHE_HOME", caches)):
            monkeypatch.setenv(name, str(value)) if value else monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("HOME", str(tmp_path))
        with pytest.raises(ValueError, match=f"looked for a in {torch.hub.get_dir()}/checkpoints and"):
            find_weights(weights(["a"]), None)


def saved(folder, value, **options):
    torch.save(value, folder / "x.pth", **options)
    return folder / "x.pth"


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ([torch.zeros(1)], "must hold a state dict of tensors, got list"),
        (torch.zeros(1), "must hold a state dict of tensors, got Tensor"),
        ({"a": 3}, "must hold a state dict of tensors, got dict"),
        ({"a": Hostile()}, "it is damaged or holds more than tensors; save it again"),
        (torch.nn.Linear(3, 2), "it is damaged or holds more than tensors; save it again"),
        ({"other": torch.zeros(2, 3)}, r"must hold x, but it has no first of shape \(2, 3\); get one"),
        ({"first": torch.zeros(3, 2)}, r"must hold x, but it has no first of shape \(2, 3\); get one"),
    ],
)
def test_what_is_no_state_of_the_network_is_told_by_its_pickle(tmp_path, value, told):
    with pytest.raises(ValueError, match=told):
        check_state(saved(tmp_path, value), weights())


def test_states_of_networks_pass(tmp_path, monkeypatch):
    network = torch.nn.Module()
    network.first = torch.nn.Parameter(torch.zeros(2, 3))
    for value in (
        network.state_dict(),
        {"first": network.first},
        {"first": torch.zeros(2, 3), "b": torch.ones(1)},
    ):
        for options in ({}, {"_use_new_zipfile_serialization": False}):
            path = saved(tmp_path, value, **options)
            check_state(path, weights())
            assert "first" in load_state(path)


@pytest.mark.parametrize(
    "content", [b"not weights", b"\x80\x02N.", b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.", b""]
)
def test_old_files_must_be_those_of_torch(tmp_path, content):
    (tmp_path / "x.pth").write_bytes(content)
    with pytest.raises(ValueError, match="must hold a state dict of tensors, but it is damaged"):
        check_state(tmp_path / "x.pth", weights())
    path = saved(tmp_path, {"a": Hostile()}, _use_new_zipfile_serialization=False)
    with pytest.raises(ValueError, match="must hold a state dict of tensors, but it is damaged"):
        check_state(path, weights())


def test_first_tensors_are_those_of_the_networks():
    from torchvision.models import vgg16

    from trainables.features.inception import FidInception

    with torch.device("meta"):
        for kind, network in ((INCEPTION, FidInception()), (VGG16, vgg16())):
            assert next((k, tuple(v.shape)) for k, v in network.state_dict().items()) == (
                kind.layer,
                kind.shape,
            )


def test_networks_are_told_from_states_and_from_damaged_ones(tmp_path):
    state, net = saved(tmp_path, {"a": torch.zeros(2)}), tmp_path / "net.pt"
    assert not is_torchscript(state)
    for module in (
        torch.jit.script(torch.nn.Flatten()),
        torch.jit.trace(torch.nn.Linear(2, 2), torch.zeros(1, 2)),
        torch.jit.freeze(torch.jit.script(torch.nn.Linear(2, 2).eval())),
    ):
        module.save(net)
        assert is_torchscript(net)
        check_torchscript(net)
    with pytest.raises(ValueError, match="must be a TorchScript file; save the network with"):
        check_torchscript(state)
    for path in (tmp_path / "none.pt", tmp_path, Path("none.pt")):
        with pytest.raises(ValueError, match=f"^there is no file {path.absolute()}; a path that"):
            check_torchscript(path)
    for spoil in (lambda content: b"", lambda content: b"N.", None):
        with zipfile.ZipFile(net) as whole, zipfile.ZipFile(tmp_path / "cut.pt", "w") as cut:
            for name in whole.namelist():
                if not name.endswith("/data.pkl"):
                    cut.writestr(name, whole.read(name))
                elif spoil is not None:
                    cut.writestr(name, spoil(whole.read(name)))
        with pytest.raises(ValueError, match="but it is damaged, or of another torch; save it again"):
            check_torchscript(tmp_path / "cut.pt")


def test_images_are_grey_or_coloured():
    grey, odd = Images(5, frozenset({(1, 4, 4), (3, 4, 4)})), Images(5, frozenset({(1, 4, 4), (4, 4, 4)}))
    check_channels(grey, grey)
    with pytest.raises(ValueError, match=r"shape \(n, 1 or 3, height, width\), got \(5, 4, 4, 4\)"):
        check_channels(grey, odd)
