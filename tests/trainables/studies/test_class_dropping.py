"""Classes dropped and added on real Fashion-MNIST: recall rises to five classes, precision falls after."""

from __future__ import annotations

import pytest

from explorer.folders import data_folder
from explorer.reproduce.classes import EPOCHS, TRAINING
from trainables.sources.fashion_mnist import FOLDER, fashion_mnist
from trainables.studies.class_dropping import class_dropping, true_corner

pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="the Debian package dataset-fashion-mnist is not installed"
)


@pytest.fixture(scope="module")
def found():
    """With the network of the figure in ``explorer.reproduce``, which is trained once and kept."""
    images, labels = fashion_mnist("train")
    kept = data_folder() / "measure" / "classifiers"
    entries, accuracy = class_dropping(
        images, labels, kept, samples=800, training=TRAINING, epochs=EPOCHS, classes=(1, 3, 5, 7, 10)
    )
    assert accuracy > 0.75
    return {entry.classes: entry for entry in entries}


@pytest.mark.parametrize("kind", ["prd", "classifier"])
def test_recall_rises_then_precision_falls(found, kind):
    recall = {i: float(getattr(entry, kind).f_max(8.0)) for i, entry in found.items()}
    precision = {i: float(getattr(entry, kind).f_max(1 / 8)) for i, entry in found.items()}
    assert recall[1] < recall[3] - 0.1 < recall[5] - 0.15
    assert precision[10] < precision[7] - 0.05 < precision[5] - 0.1
    assert min(precision[i] for i in (1, 3, 5)) > 0.85
    assert min(recall[i] for i in (5, 7, 10)) > 0.93


@pytest.mark.parametrize("kind", ["prd", "classifier"])
def test_curves_are_close_to_the_true_rectangles(found, kind):
    """By area; clothes that look alike lift the curves, never lower them by more than noise."""
    for i, entry in found.items():
        precision, recall = true_corner(i)
        excess = float(getattr(entry, kind).auc()) - precision * recall
        assert -0.05 < excess < 0.24, i
    assert float(getattr(found[5], kind).auc()) > 0.95


def test_both_curves_tell_the_same(found):
    for i, entry in found.items():
        assert float(entry.prd.auc()) == pytest.approx(float(entry.classifier.auc()), abs=0.09), i


def test_the_frechet_distance_is_least_at_the_classes_of_the_data_and_the_inception_score_only_rises(found):
    """Figure 5 (left): IS rises with every class, FID falls to five classes and rises after."""
    distance = {i: entry.frechet for i, entry in found.items()}
    assert distance[1] > distance[3] > distance[5] < distance[7] < distance[10]
    score = [entry.inception for entry in found.values()]
    assert score == sorted(score)
    assert 1 <= score[0] < 1.6
    assert 5 < score[-1] <= 10


def test_too_many_samples_are_refused(tmp_path):
    images, labels = fashion_mnist("test")
    with pytest.raises(ValueError, match="use fewer samples"):
        class_dropping(images, labels, tmp_path, samples=2000, training=500, epochs=1, classes=(1,))
