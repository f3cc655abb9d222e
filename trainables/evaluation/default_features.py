"""The features in which a dataset is compared where ``evaluation.features`` is left open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainables.extractors import FeatureExtractor
from trainables.extractors.classifier import OwnClassifier
from trainables.extractors.identity import Identity
from trainables.extractors.inception import WEIGHTS, Inception
from trainables.extractors.weight_files import find_weights

if TYPE_CHECKING:
    from trainables.datasets import Dataset

__all__ = ["check_default", "default_features", "features_for"]

_IMAGENET = (1, 3)
"""Channels that networks trained on ImageNet take: grey by repetition, and colour."""


def default_features(dataset: Dataset) -> FeatureExtractor:
    """Points as they are; labelled grey images by a classifier of their own; other grey and coloured ones by Inception.

    One class teaches a classifier nothing. A function of shape and classes alone, so that a plan and its workers choose
    alike.
    """
    return features_for(dataset.shape, dataset.classes)


def features_for(shape: tuple[int, ...], classes: int | None) -> FeatureExtractor:
    """The same of data of that shape, with so many classes if they are labelled."""
    if len(shape) != 3:
        return Identity()
    if classes is not None and classes > 1 and shape[0] != 3:
        return OwnClassifier()
    return Inception() if shape[0] in _IMAGENET else Identity()


def check_default(dataset: Dataset) -> None:
    """Refuse to train what could not be measured: Inception is the default, and its weights are not on this machine."""
    if not isinstance(default_features(dataset), Inception):
        return
    try:
        find_weights(WEIGHTS, None)
    except ValueError as error:
        labelled = dataset.classes is not None and dataset.classes > 1
        own = "classifier (trained on its labels)" if labelled else "identity (pixels)"
        raise ValueError(
            f"images of dataset '{dataset.name}' are compared by inception unless evaluation.features says otherwise, "
            f"and {error}; or write evaluation.features: {own}"
        ) from error
