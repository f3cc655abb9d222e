"""What a final evaluation finds beside its numbers, as plain data: who pulls them down, and other ways to see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["EstimatedCurve", "Findings", "Side", "Witnesses"]


@dataclass(frozen=True, eq=False)
class Side:
    """Samples of one kind that lie in no ball of the other kind.

    Attributes:
        share: of all samples of this kind.
        excess: (n,) of some of them, how far outside: the distance to the nearest of the others over that one's own
            k-NN radius, above 1.
        samples: (n, *shape) these themselves; images as bytes.
    """

    share: float
    excess: NDArray[np.float64]
    samples: np.ndarray


@dataclass(frozen=True, eq=False)
class Witnesses:
    """Why precision and recall are no higher, in the space in which they are measured.

    Attributes:
        outside: generated samples in no real ball, the worst first; their share is 1 - precision.
        missed: real samples in no generated ball, spread over all of these, the worst first; their share is 1 - recall.
        features: the space.
        k: neighbours of a ball.
    """

    outside: Side
    missed: Side
    features: str
    k: int


@dataclass(frozen=True, eq=False)
class EstimatedCurve:
    """The PR curve of a model by one estimator.

    Attributes:
        name: what the product calls the estimator: ``exact``, ``prd``.
        title: what a reader sees.
        sentence: how it was made, and of how many samples.
        lam, precision, recall: (L,) λ rising, α_λ and β_λ = α_λ/λ.
        error: (L,) how far each precision may be off, where that is known.
    """

    name: str
    title: str
    sentence: str
    lam: NDArray[np.float64]
    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    error: NDArray[np.float64] | None = None


@dataclass(frozen=True, eq=False)
class Findings:
    """Of the model as it is.

    Attributes:
        witnesses: None where they could not be had.
        curves: by every estimator that could be asked.
        left_out: a sentence for each thing that failed.
    """

    witnesses: Witnesses | None = None
    curves: tuple[EstimatedCurve, ...] = ()
    left_out: tuple[str, ...] = ()
