"""From two sample sets to two feature arrays, with the real side remembered on disk."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.errors import UserError
from explorer.measure.inputs import SampleSet
from explorer.sweep.members import build_member
from trainables.extractors import EXTRACTORS

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.features import Extractor, ReferenceStore

__all__ = ["StoredReference", "choose_extractor", "extract_set"]

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


def choose_extractor(name: str | None, real: SampleSet, cache: Path) -> Extractor | None:
    """The extractor called ``name``, or None for features that are used as they are.

    Left out: none for arrays (N, d), else the FID Inception. ``NAME=VALUE`` sets the extractor's own argument, such as
    a weight file; a path names a TorchScript file.
    """
    if real.is_features:
        if name not in (None, "identity"):
            raise UserError(f"{real.path} already holds features (N, d); --features {name} needs images")
        return None
    chosen, _, value = (name or "inception").partition("=")
    if chosen not in EXTRACTORS:
        if not Path(chosen).exists():
            raise UserError(
                f"--features must be {', '.join(EXTRACTORS)} or a TorchScript file, got '{chosen}'"
            )
        chosen, value = "torchscript", name or ""
    kind = EXTRACTORS[chosen]
    if value and kind.argument is None:
        raise UserError(f"extractor {chosen} takes no argument, got --features {chosen}={value}")
    member = build_member(
        EXTRACTORS, {"name": chosen, **({str(kind.argument): value} if value else {})}, "--features"
    )
    if real.array is None:
        import torch

        return member.build(torch.empty(0, 3, 1, 1), None, cache)
    return member.build(real.array, real.labels, cache)


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
