"""Feeding images: scaling, resizing, pixels as features, progress, fingerprints."""

from __future__ import annotations

import hashlib

import pytest
import torch

from trainables.features.extractor import (
    Extractor,
    extract,
    file_fingerprint,
    identity,
    resize,
    to_bytes_range,
)


def test_bytes_and_unit_floats_agree():
    images = torch.arange(48, dtype=torch.uint8).reshape(1, 3, 4, 4) * 5
    assert torch.equal(to_bytes_range(images), images.float())
    torch.testing.assert_close(to_bytes_range(images.float() / 255), images.float())
    with pytest.raises(ValueError, match=r"\[0, 1\], got values from -1"):
        to_bytes_range(torch.tensor([[-1.0, 0.5]]))
    with pytest.raises(ValueError, match="int64"):
        to_bytes_range(torch.zeros(1, dtype=torch.int64))


def test_resize_is_bilinear_between_pixel_centres():
    """Doubling a 1×2 ramp: centres at ¼ and ¾ of the way, ends clamped, no antialiasing when shrinking."""
    ramp = torch.tensor([0.0, 8.0]).view(1, 1, 1, 2).expand(1, 1, 2, 2)
    torch.testing.assert_close(resize(ramp, 4)[0, 0, 0], torch.tensor([0.0, 2.0, 6.0, 8.0]))
    spike = torch.zeros(1, 1, 9, 9)
    spike[0, 0, 0, 0] = 9.0
    assert float(resize(spike, 3).max()) == 0.0  # an antialiased resize would spread the spike
    assert resize(torch.zeros(2, 1, 5, 5), 5).shape == (2, 3, 5, 5)
    with pytest.raises(ValueError, match="1 or 3"):
        resize(torch.zeros(2, 4, 5, 5), 5)


def test_identity_flattens_in_order_and_reports_progress():
    images = torch.randint(0, 256, (5, 1, 2, 3), dtype=torch.uint8)
    seen = []
    found = extract(identity(), images.split(2), progress=seen.append)
    torch.testing.assert_close(found.values, images.flatten(1).float() / 255)
    assert found.logits is None
    assert seen == [2, 4, 5]
    with pytest.raises(ValueError, match="no images"):
        extract(identity(), [])


def _halves(module=None):
    """Features: the mean of every channel; logits: its negative."""
    return Extractor(
        "halves", "1", lambda x: x / 255, lambda x: (x.mean((2, 3)), -x.mean((2, 3))), "", module
    )


def test_features_and_logits_of_all_batches_are_joined_in_order():
    images = torch.rand(7, 3, 4, 4, generator=torch.Generator().manual_seed(0))
    found = extract(_halves(), images.split(3))
    assert found.logits is not None
    torch.testing.assert_close(found.values, images.mean((2, 3)))
    torch.testing.assert_close(found.logits, -found.values)
    assert found.values.dtype == torch.float32
    assert not found.values.is_inference()  # what comes back may be trained on


def test_a_network_is_put_into_evaluation_mode():
    network = torch.nn.Dropout(0.5).train()
    extract(_halves(network), [torch.zeros(1, 3, 2, 2)])
    assert not network.training


def test_images_of_several_shapes_are_refused():
    with pytest.raises(ValueError, match="identity features must have one dimension, got 4, 9 from images"):
        extract(identity(), [torch.zeros(1, 1, 2, 2), torch.zeros(1, 1, 3, 3)])


def test_images_that_hold_no_number_are_refused():
    with pytest.raises(ValueError, match=r"must lie in \[0, 1\], got values from nan to nan"):
        to_bytes_range(torch.tensor([0.5, torch.nan]))


def test_a_fingerprint_is_the_hash_of_the_bytes(tmp_path):
    content = bytes(range(256)) * 8192  # two mebibytes, read in pieces
    (tmp_path / "a").write_bytes(content)
    assert file_fingerprint(tmp_path / "a") == hashlib.sha256(content).hexdigest()[:16]
    (tmp_path / "a").write_bytes(content[:-1] + b"x")
    assert file_fingerprint(tmp_path / "a") != hashlib.sha256(content).hexdigest()[:16]
