"""Classes dropped and added on images that can be had: the study that several figures draw, computed once a process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from explorer.errors import UserError

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.studies.class_dropping import Dropping

__all__ = ["ClassStudy", "digits", "fashion"]

SAMPLES = 1500
TRAINING = 8000
EPOCHS = 3

FEW_SAMPLES = 100
FEW_TRAINING = 500
MANY_EPOCHS = 30
"""Of the 1,797 digits of scikit-learn."""


@dataclass(frozen=True, eq=False)
class ClassStudy:
    """The first i classes against the first five, i = 1…10; the accuracy of the network behind the features."""

    found: Sequence[Dropping]
    accuracy: float
    samples: int


@cache
def fashion() -> ClassStudy:
    """On Fashion-MNIST."""
    from trainables.sources.fashion_mnist import fashion_mnist

    return _study(lambda: fashion_mnist("train"), SAMPLES, TRAINING, EPOCHS)


@cache
def digits() -> ClassStudy:
    """On the digits of scikit-learn, 8×8 pixels, which stand in for MNIST."""
    from trainables.sources.digits import digits as load

    return _study(load, FEW_SAMPLES, FEW_TRAINING, MANY_EPOCHS)


def _study(load: Callable[[], tuple[Tensor, Tensor]], samples: int, training: int, epochs: int) -> ClassStudy:
    from explorer.folders import data_folder
    from trainables.studies.class_dropping import class_dropping

    try:
        images, labels = load()
    except ValueError as error:
        raise UserError(str(error)) from error
    cache_folder = data_folder() / "measure" / "classifiers"
    found, accuracy = class_dropping(
        images, labels, cache_folder, samples=samples, training=training, epochs=epochs
    )
    return ClassStudy(found, accuracy, samples)
