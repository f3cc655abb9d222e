"""From what the ratio of the densities of a trial is known, and its calibration on data that training has not seen."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from explorer.errors import UserError
from explorer.refining.subject import Ratio
from explorer.refining.wish import Wish

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.datasets import Dataset
    from trainables.refinements.budgeted import Budgeted
    from trainables.samplers.pool import Drawable
    from trainables.samplers.sampler import Sampler
    from trainables.samplers.trained import Trained
    from trainables.sources.source import Source

__all__ = ["MOST_HELD", "HeldOut", "calibrated_ratio", "held_out", "ratio_model"]

MOST_HELD = 10_000
"""Real points that a calibration is fitted and judged on."""
LEARNT = 50_000
"""Real points that a classifier is fitted to, as many as there are at most."""
FITTING, CALIBRATING = 1 << 61, 3 << 60
"""What is added to a seed whose draws are to be others than those that are refined, and than each other."""

HeldOut = tuple["Tensor", "Tensor | None"]
"""Real points (N, *shape), and their classes where they have some."""


def ratio_model(
    sampler: Sampler, method: Budgeted, source: Source | None, title: str, wish: Wish
) -> Drawable:
    """The model of a trial with the ratio that is wished; refused where that cannot be had.

    ``source``: of the data, for a density or a classifier.
    """
    from trainables.samplers.trained import Trained

    if not method.scored:
        return Trained(sampler, label=wish.label)
    if wish.ratio == "critic":
        check_critic(sampler, title, wish)
        return Trained(sampler, label=wish.label)
    assert source is not None
    if wish.ratio == "density":
        from trainables.samplers.densities import density_ratio

        if source.law is None:
            raise ValueError(
                "the density of the data must be known for ratio density; use the critic, or a classifier"
            )
        return Trained(sampler, density_ratio(sampler, source.law), wish.label)
    return _classified(Trained(sampler, label=wish.label), source, wish)


def check_critic(sampler: Sampler, title: str, wish: Wish) -> None:
    """Refuse a critic that does not know the ratio, unless a calibration is asked for by name."""
    objective = sampler.objective
    if objective.knows_ratio() or wish.calibration in ("slope", "isotonic"):
        return
    raise UserError(
        f"the critic of {title} was trained with objective '{objective.name}', whose best critic does not determine "
        "the ratio of the densities; fit the ratio to its scores by --calibration isotonic, or to the samples by "
        "--ratio classifier"
    )


def _classified(model: Trained, source: Source, wish: Wish) -> Drawable:
    """By a classifier of real points that the model was trained on, each once, against its draws."""
    import torch

    from trainables.randomness import Noise, Stream
    from trainables.samplers.fitted import fitted
    from trainables.samplers.with_ratio import with_ratio

    noise = Noise(torch.tensor([wish.seed + FITTING], device=model.sampler.device))
    x, y = source.draw(noise, Stream.REAL, 0, LEARNT)
    real, _ = _of_label((x[0], None if y is None else y[0]), wish)
    if (
        source.law is None
    ):  # draws of a finite set come again, and would be on both sides of the classifier's split
        real = real[_distinct(real)]
    return with_ratio(model, fitted(model, real, wish.seed + FITTING))


def _distinct(points: Tensor) -> list[int]:
    """Where each of the points (N, *shape) stands for the first time. O(N)."""
    first: dict[bytes, int] = {}
    for place, point in enumerate(points.cpu().numpy()):
        first.setdefault(blake2b(point.tobytes(), digest_size=16).digest(), place)
    return list(first.values())


def _of_label(held: HeldOut, wish: Wish) -> HeldOut:
    """Those of the class that is wished, where one is: to these the draws of it are compared."""
    points, classes = held
    if wish.label is None or classes is None:
        return held
    own = classes == wish.label
    return points[own], classes[own]


def held_out(dataset: Dataset, source: Source, wish: Wish) -> HeldOut:
    """Real points that training has not seen, each once: the first of those held out, or fresh ones of a law."""
    import torch

    from trainables.randomness import Noise, Stream

    most = dataset.held_out_count
    if most is not None:
        x, y = source.reference(min(most, MOST_HELD))
        return x, y
    noise = Noise(torch.tensor([wish.seed + CALIBRATING]))
    batch = source.to("cpu").draw(noise, Stream.UNSEEN, 0, MOST_HELD)
    real, classes = batch.x[0], None if batch.y is None else batch.y[0]
    if source.law is not None:
        return real, classes
    own = _distinct(real)  # it is not told how many are held out, and draws of a finite set come again
    return real[own], None if classes is None else classes[own]


def calibrated_ratio(
    model: Drawable, method: Budgeted, held: HeldOut, wish: Wish
) -> tuple[Drawable, Ratio | None]:
    """The model with its ratio calibrated as it is wished, and what that ratio is worth at the largest budget."""
    from trainables.rejection.calibrations import calibration_named
    from trainables.samplers.calibrating import calibrated_on

    if not method.scored:
        return model, None
    kind = wish.calibration or ("none" if wish.ratio == "density" else "slope")
    real, classes = _of_label(held, wish)
    largest = max((2.0, *method.asked()))
    found = calibrated_on(
        model,
        calibration_named(kind),
        real,
        len(real),
        wish.seed + CALIBRATING,
        largest,
        classes if _wants_classes(model) else None,
    )
    return found.model, Ratio(wish.ratio, kind, found.reliability)


def _wants_classes(model: Drawable) -> bool:
    from trainables.samplers.trained import Trained

    return isinstance(model, Trained) and model.sampler.classes is not None
