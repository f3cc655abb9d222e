"""From two sample sets to two feature arrays, with the real side remembered on disk."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.errors import UserError, brief
from explorer.measure.files import named
from explorer.measure.inputs import SampleSet
from explorer.measure.outline import Outline
from explorer.sweep.members import build_member
from trainables.extractors import EXTRACTORS, FeatureExtractor

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.features import Extractor, ReferenceStore

__all__ = ["StoredReference", "check_kinds", "choose_extractor", "extract_set", "extractor_named"]

Stage = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class StoredReference:
    """Statistics of the real features, each computed once per (data, extractor, count, code) and kept."""

    store: ReferenceStore
    data: str
    extractor: str
    samples: int

    def get(self, part: str, compute: Callable[[], Mapping[str, Tensor]]) -> dict[str, Tensor]:
        """The part from the store, or computed and stored."""
        from trainables.features import ReferenceKey

        return self.store.get(ReferenceKey(self.data, self.extractor, self.samples, part), compute)


def check_kinds(name: str | None, real: Outline, fake: Outline) -> None:
    """Both sides hold features of one dimension, for which no extractor is asked, or both hold images."""
    if real.is_features != fake.is_features:
        kinds = {True: "features (N, d)", False: "images"}
        raise UserError(
            f"REAL holds {kinds[real.is_features]}, so FAKE must too; "
            f"{named(fake.path)} holds {kinds[fake.is_features]}"
        )
    if real.is_features and name not in (None, "identity"):
        raise UserError(f"{named(real.path)} already holds features (N, d); extractor {name} needs images")
    if real.is_features and real.dimension != fake.dimension:
        raise UserError(
            f"REAL and FAKE must have the same dimension, got {real.dimension} and {fake.dimension}; "
            "use the same extractor for both"
        )


def extractor_named(name: str | None) -> FeatureExtractor:
    """The extractor called ``name``, not built yet; left out it is the FID Inception.

    ``NAME=VALUE`` sets the extractor's own argument, such as a weight file; a path names a TorchScript file.
    """
    chosen, _, value = (name or "inception").partition("=")
    if chosen not in EXTRACTORS:
        if not _exists(chosen):
            raise UserError(
                f"features must be {', '.join(EXTRACTORS)} or a TorchScript file, got '{brief(chosen)}'"
            )
        chosen, value = "torchscript", name or ""
    kind = EXTRACTORS[chosen]
    if value and kind.argument is None:
        raise UserError(f"extractor {chosen} takes no argument, got {chosen}={value}")
    fields = {str(kind.argument): value} if value else {}
    return build_member(EXTRACTORS, {"name": chosen, **fields}, "features")


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except OSError:  # a name too long for a file
        return False


def choose_extractor(name: str | None, real: SampleSet, cache: Path) -> Extractor | None:
    """The extractor called ``name`` with its network, or None for features, which are used as they are."""
    if real.is_features:
        return None
    member = extractor_named(name)
    if real.array is None:
        import torch

        return member.build(torch.empty(0, 3, 1, 1), None, cache)
    return member.build(real.array, real.labels, cache)


def extract_set(
    samples: SampleSet, extractor: Extractor | None, device: str, stage: Stage
) -> dict[str, Tensor]:
    """``features`` (N, d) and, if the network has them, ``logits`` of one set."""
    if extractor is None:
        return {"features": samples.tensor.to(device)}
    from trainables.features import extract

    total = len(samples)
    found = extract(
        extractor,
        samples.batches(),
        device,
        lambda done: stage(f"{extractor.name} features of {samples.path.name}: {done} of {total}"),
    )
    return {"features": found.values} | ({} if found.logits is None else {"logits": found.logits})
