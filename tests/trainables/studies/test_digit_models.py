"""Two models of digits: one has all of them and spoils some, the other has half of them."""

from __future__ import annotations

import pytest
import torch
from sklearn.datasets import load_digits

from trainables.measures import precision_recall_density_coverage
from trainables.studies.digit_models import digit_models


def _nearest_labels(images: torch.Tensor) -> torch.Tensor:
    digits = load_digits()
    data, labels = torch.from_numpy(digits.data), torch.from_numpy(digits.target)
    return labels[torch.cdist(images, data).argmin(dim=1)]


def test_images_are_grey_levels_and_the_same_for_a_seed():
    sets = digit_models(200, seed=1)
    for images in (sets.real, sets.diverse, sets.precise):
        assert images.shape == (200, 64)
        assert 0 <= float(images.min()) <= float(images.max()) <= 16
        assert torch.equal(images, images.round())
    assert torch.equal(digit_models(200, seed=1).diverse, sets.diverse)
    assert not torch.equal(digit_models(200, seed=2).real, sets.real)


def test_one_model_has_every_digit_and_the_other_half_of_them():
    sets = digit_models(500)
    plain = sets.diverse[sets.diverse.amin(dim=1) == 0]
    assert set(_nearest_labels(plain).tolist()) == set(range(10))
    assert float((_nearest_labels(sets.precise) < 5).double().mean()) > 0.99
    grounded = float((sets.diverse.amin(dim=1) >= 3).double().mean())
    assert grounded == pytest.approx(0.4, abs=0.06)


def test_no_model_has_seen_the_real_images():
    digits = torch.from_numpy(load_digits().data)
    sets = digit_models(300)
    order = torch.randperm(len(digits), generator=torch.Generator().manual_seed(0))
    assert torch.equal(sets.real, digits[order[:300]])
    # The precise model's images are nearer to the rest than to the real ones.
    to_real, to_rest = (torch.cdist(sets.precise, part).amin(1) for part in (sets.real, digits[order[300:]]))
    assert float((to_rest < to_real).double().mean()) > 0.97


def test_an_embedding_keeps_distances_as_far_as_its_directions_go():
    sets = digit_models(300)
    whole, part = sets.embedded(64), sets.embedded(10)
    assert part.precise.shape == (300, 10)
    between = torch.cdist(sets.real, sets.precise)
    torch.testing.assert_close(torch.cdist(whole.real, whole.precise), between)
    assert (torch.cdist(part.real, part.precise) <= between + 1e-9).all()
    assert float(part.real.var(0).sum()) > 0.7 * float(sets.real.var(0).sum())


def test_neighbours_tell_the_precise_from_the_diverse():
    seen = digit_models(400).embedded(20)
    diverse, precise = (
        precision_recall_density_coverage(seen.real, fake, 3) for fake in (seen.diverse, seen.precise)
    )
    assert precise.precision > diverse.precision + 0.15
    assert diverse.recall > precise.recall + 0.25


@pytest.mark.parametrize("samples", [0, 898])
def test_most_digits_are_left_for_the_models(samples):
    with pytest.raises(ValueError, match="between 1 and 897"):
        digit_models(samples)
