"""The trained classifier learns, is kept with its accuracy, and is trained anew when its file is damaged."""

from __future__ import annotations

import pytest
import torch

from trainables.features.classifier import SmallClassifier, classifier, trained_classifier
from trainables.features.extractor import extract


def _made_images():
    generator = torch.Generator().manual_seed(0)
    labels = torch.arange(300) % 3
    images = torch.rand(300, 1, 12, 12, generator=generator) * 0.3
    for c in range(3):
        images[labels == c, :, 4 * c : 4 * c + 4] += 0.6
    return (images * 255).to(torch.uint8), labels


def test_classifier_learns_and_is_cached_with_its_accuracy(tmp_path, monkeypatch):
    images, labels = _made_images()
    extractor, accuracy = classifier(images, labels, tmp_path, epochs=2)
    assert accuracy > 0.9
    found = extract(extractor, [images])
    assert found.values.shape == (300, 128)
    monkeypatch.setattr("trainables.features.classifier.trained_classifier", None)  # must not train again
    again, same = classifier(images, labels, tmp_path, epochs=2)
    assert same == accuracy
    assert again.fingerprint == extractor.fingerprint
    torch.testing.assert_close(extract(again, [images]).values, found.values)
    assert len(list(tmp_path.glob("*.pt"))) == 1
    with pytest.raises(TypeError):
        classifier(images, labels.flip(0), tmp_path, epochs=2)  # other labels are another network


def test_a_damaged_classifier_is_trained_anew(tmp_path):
    images, labels = _made_images()
    _, accuracy = classifier(images, labels, tmp_path, epochs=1)
    (path,) = tmp_path.glob("*.pt")
    whole = path.read_bytes()
    for damage in (b"", whole[: len(whole) // 2], b"not a file of torch"):
        path.write_bytes(damage)
        assert classifier(images, labels, tmp_path, epochs=1)[1] == accuracy
        assert path.stat().st_size == len(whole)


def test_classifier_needs_labels():
    with pytest.raises(ValueError, match="one label per image"):
        trained_classifier(torch.zeros(30, 1, 8, 8), torch.zeros(29))


@pytest.mark.parametrize("shape", [(1, 28, 28), (3, 9, 6), (1, 1, 1)])
def test_the_network_is_sized_for_its_images(shape):
    images, labels = torch.rand(2, *shape), torch.tensor([0, 4])
    features, logits = SmallClassifier.for_data(images, labels)(images)
    assert features.shape == (2, 128)
    assert logits.shape == (2, 5)


def test_training_repeats_by_its_seed_and_leaves_the_callers_randomness_alone():
    images, labels = _made_images()
    before = torch.random.get_rng_state()
    seen = []
    first, accuracy = trained_classifier(images, labels, 1, 3, lambda *done: seen.append(done))
    second, again = trained_classifier(images, labels, 1, 3)
    assert torch.equal(torch.random.get_rng_state(), before)
    assert accuracy == again
    for name, value in first.state_dict().items():
        assert torch.equal(value, second.state_dict()[name]), name
    assert seen == [(1, 1)]


def test_images_of_another_shape_are_refused(tmp_path):
    extractor, _ = classifier(*_made_images(), tmp_path, epochs=1)
    with pytest.raises(
        ValueError, match=r"shape \(1, 12, 12\) the classifier was trained on, got \(1, 8, 8\)"
    ):
        extract(extractor, [torch.zeros(2, 1, 8, 8)])
