"""From two sample sets to two feature arrays, with the real side remembered on disk."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.errors import UserError
from explorer.measure.inputs import SampleSet

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.features import Extractor, ReferenceStore

__all__ = ["Reference", "choose_extractor", "extract_set"]

Stage = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Reference:
    """Statistics of the real features, each computed once per (data, extractor, count, code) and kept."""

    store: ReferenceStore
    data: str
    extractor: str
    samples: int

    def get(self, part: str, compute: Callable[[], Mapping[str, Tensor]]) -> dict[str, Tensor]:
        """The part from the store, or computed and stored."""
        from trainables.features import ReferenceKey

        return self.store.get(ReferenceKey(self.data, self.extractor, self.samples, part), compute)


def choose_extractor(name: str | None, real: SampleSet, cache: Path) -> Extractor | None:
    """The extractor called ``name``, or None for features that are used as they are.

    Left out: none for arrays (N, d), else the FID Inception. A path names a TorchScript file; ``inception=FILE`` and
    ``vgg16=FILE`` name a weight file.
    """
    if real.is_features:
        if name not in (None, "identity"):
            raise UserError(f"{real.path} already holds features (N, d); --features {name} needs images")
        return None
    name, _, weights = (name or "inception").partition("=")
    if weights and name not in ("inception", "vgg16"):
        raise UserError(f"only inception and vgg16 take a weight file, got --features {name}={weights}")
    if name == "identity":
        from trainables.features import identity

        return identity()
    if name == "inception":
        from trainables.features.inception import inception

        return inception(weights or None)
    if name == "vgg16":
        from trainables.features.vgg import vgg16

        return vgg16(weights or None)
    if name == "classifier":
        from trainables.features.classifier import classifier

        if real.labels is None or real.array is None:
            raise UserError(
                f"--features classifier is trained on REAL, which must be a .npz with images and labels; {real.path} "
                "has no labels"
            )
        return classifier(real.array, real.labels, cache)[0]
    if Path(name).exists():
        from trainables.features.torchscript import torchscript

        return torchscript(name)
    raise UserError(
        f"--features must be identity, inception, vgg16, classifier or a TorchScript file, got '{name}'"
    )


def extract_set(
    samples: SampleSet, extractor: Extractor | None, device: str, stage: Stage
) -> dict[str, Tensor]:
    """``features`` (N, d) and, if the network has them, ``logits`` of one set."""
    if extractor is None:
        if not samples.is_features or samples.array is None:
            raise UserError(f"REAL holds features (N, d), so FAKE must too; {samples.path} holds images")
        return {"features": samples.array.to(device)}
    if samples.is_features:
        raise UserError(f"REAL holds images, so FAKE must too; {samples.path} holds features (N, d)")
    from trainables.features import extract

    total = len(samples)
    found = extract(
        extractor,
        samples.batches(),
        device,
        lambda done: stage(f"{extractor.name} features of {samples.path.name}: {done} of {total}"),
    )
    return {"features": found.values} | ({} if found.logits is None else {"logits": found.logits})
