"""Whether the features that a sweep compares by can be had on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.errors import UserError
from explorer.sweep.plugins import of_members
from trainables.extractors.extractor import Images

if TYPE_CHECKING:
    from explorer.launch.plan import Plan
    from explorer.sweep import Sweep
    from trainables.datasets import Dataset

__all__ = ["check_features"]


@of_members()
def check_features(sweep: Sweep, plan: Plan) -> None:
    """Refuse a launch whose features need files that are not here: else trials would be trained and then not measured.

    Files are looked for at a launch, not where a sweep is read: it can be planned on a machine that has none of them.
    Features that learn from the data need no file.
    """
    for dataset in {trial.config.dataset for pack in plan.packs for trial in pack.trials}:
        features = sweep.plan.of(dataset).evaluation.features
        if features is None or features.learns or len(dataset.shape) != 3:
            continue
        images = _images(dataset, sweep.plan.evaluation.samples)
        try:
            features.look(images, images)
        except ValueError as error:
            raise UserError(f"evaluation.features '{features.name}' cannot be had here: {error}") from error


def _images(dataset: Dataset, samples: int) -> Images:
    channels, height, width = dataset.shape
    return Images(samples, frozenset({(channels, height, width)}), labelled=dataset.classes is not None)
