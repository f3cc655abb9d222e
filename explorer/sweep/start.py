"""The sections ``start`` and ``base`` of a sweep: from what its trials begin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from explorer.errors import UserError, brief, shown
from explorer.sweep.earlier_base import EarlierBases
from explorer.sweep.members import build_config, build_member
from explorer.sweep.messages import has_no
from trainables.config import FAMILIES, SECTIONS, TrainingConfig, TrialConfig
from trainables.datasets import Dataset
from trainables.models import Model
from trainables.nearest import nearest
from trainables.start import CRITICS, Start, is_identity

__all__ = ["BASE", "BASE_SECTIONS", "Beginning", "parse_start"]

BASE = "base"
"""What ``start.from`` says of the base that the same file describes."""

BASE_SECTIONS = tuple(name for name in SECTIONS if name not in ("dataset", "model"))
"""What a base may have of its own."""


@dataclass(frozen=True)
class Beginning:
    """From what the trials of a sweep begin.

    Attributes:
        source: ``base``, a trial's identity, or the name of an earlier sweep.
        critic: whether the base's critic is ``kept`` or a ``fresh`` one takes its place.
        parts: what the section ``base`` says, built; defaults where it says nothing.
        earlier: where the trials of an earlier sweep are looked up.
    """

    source: str
    critic: str
    parts: Mapping[str, Any] = field(default_factory=dict)
    earlier: EarlierBases | None = None

    def of(self, dataset: Dataset, model: Model, seed: int) -> Start:
        """The start of a trial: its base has the trial's own dataset, model and seed.

        Of a model that takes λ, a base that is trained for no range of it and whose critic is not kept goes without.
        """
        if self.source == BASE:
            low, high = self.parts["objective"].lam_span()
            own = model if low < high or self.critic == "kept" else model.without_lam()
            try:
                base = TrialConfig(dataset=dataset, model=own, **self.parts, seed=seed)
            except ValueError as error:
                raise UserError(f"the base is refused: {error}") from error
            return Start.at(base, self.critic)
        if self.earlier is None:
            return Start(self.source, self.critic)
        found, known = self.earlier.find(dataset, model, seed)
        return Start(found, self.critic, kind=self.source, known=known)


def parse_start(
    start: object, base: object, sweep: str, uri: str | None, experiment: str
) -> Beginning | None:
    """Both sections as written, None where they are left out; None without a start.

    ``uri`` and ``experiment`` say where earlier sweeps are looked up; ``sweep`` itself is none of them.
    """
    if start is None:
        if base is not None:
            raise UserError("section 'base' is of no use without a start; add start: {from: base}")
        return None
    source, critic = _fields(start)
    if source == BASE:
        if base is None:
            raise UserError(
                "start.from is 'base', and there is no section 'base'; add one such as "
                "base: {objective: {name: gan}}"
            )
        return Beginning(source, critic, _parts(base))
    if base is not None:
        raise UserError(
            f"section 'base' is of no use with start.from {shown(source)}; write from: base, or leave it out"
        )
    if is_identity(source):
        return Beginning(source, critic)
    if source == sweep:
        raise UserError(f"start.from must be another sweep, got {shown(source)}, the name of this one")
    return Beginning(source, critic, earlier=EarlierBases(source, uri, experiment))


def _fields(raw: object) -> tuple[str, str]:
    if not isinstance(raw, Mapping):
        raise UserError(f"'start' must be a section with keys such as {{from: base}}, got {shown(raw)}")
    for key in raw:
        if key not in ("from", "critic"):
            told = has_no("section 'start'", str(key), ["from", "critic"])
            raise UserError(f"unknown key 'start.{brief(str(key))}': {told}")
    source, critic = raw.get("from"), raw.get("critic", CRITICS[0])
    if source is None:
        raise UserError(
            "'start.from' must be given: base, the identity of an earlier trial, or an earlier sweep"
        )
    if not isinstance(source, str):
        raise UserError(f"'start.from' must be text, got {shown(source)}; put an identity in quotes")
    if critic not in CRITICS:
        raise UserError(f"'start.critic' cannot be {shown(critic)}{nearest(critic, CRITICS)}")
    return source, critic


def _parts(raw: object) -> dict[str, Any]:
    """What a base has of its own, each section built."""
    if not isinstance(raw, Mapping):
        raise UserError(f"'base' must be a section with keys such as objective, got {shown(raw)}")
    for key in raw:
        if key in ("dataset", "model"):
            raise UserError(
                f"'base.{key}' cannot be given: a base has the {key} of the trial that begins at it; leave it out"
            )
        if key not in BASE_SECTIONS:
            told = has_no("section 'base'", str(key), BASE_SECTIONS)
            raise UserError(f"unknown key 'base.{brief(str(key))}': {told}")
    return {name: _part(name, raw.get(name) or {}) for name in BASE_SECTIONS}


def _part(name: str, raw: object) -> Any:
    where = f"base.{name}"
    family = FAMILIES.get(name)
    return build_config(TrainingConfig, raw, where) if family is None else build_member(family, raw, where)
