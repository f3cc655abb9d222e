"""Where a trial begins that does not begin at random: at the end of another trial, its base."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from trainables.family import require

if TYPE_CHECKING:
    from trainables.config import TrialConfig
    from trainables.objectives.objective import Objective

__all__ = ["CRITICS", "Start", "check_layers", "check_reading", "is_identity", "meaning"]

_LOGIT = ("critic", "divergence", "alpha", "calibrated")

CRITICS = ("fresh", "kept")
"""What becomes of the base's critic: a new one by the trial's seed, or the base's own."""


@dataclass(frozen=True)
class Start:
    """A base, which is a trial like any other, and what is taken over from it.

    The generator begins at the base's averaged weights, which are the ones that were measured; its batch statistics
    come along. The critic begins fresh or is kept, with what objective and constraint remember of it, where the trial
    has the same. Moments of the optimiser begin anew.

    Attributes:
        base: identity of the base at whose end the trial begins.
        critic: what becomes of the critic of the base: a ``fresh`` one takes its place, or it is ``kept``.
        kind: what bases of the same training have in common, whatever their data, model and seed; the identity of
            the base where that is not known.
        config: the base as a trial, where the same sweep trains it.
        known: the base as a trial, where an earlier sweep has trained it and tells.
    """

    base: str
    critic: str = "fresh"
    kind: str = ""
    config: TrialConfig | None = field(default=None, compare=False, repr=False)
    known: TrialConfig | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        require(is_identity(self.base), f"a base is named by 12 hex digits, got {self.base!r}")
        require(self.critic in CRITICS, f"start.critic must be fresh or kept, got {self.critic!r}")
        object.__setattr__(self, "kind", self.kind or self.base)

    @staticmethod
    def at(config: TrialConfig, critic: str) -> Start:
        """The start at a base that is described."""
        return Start(config.identity(), critic, config.kind(), config)

    @staticmethod
    def of(plain: dict[str, Any]) -> Start:
        """What ``plain`` wrote."""
        return Start(plain["from"], plain["critic"], plain["kind"])

    @property
    def described(self) -> TrialConfig | None:
        """The base as a trial, wherever that is known from."""
        return self.config or self.known

    def signature(self) -> dict[str, str]:
        """What it adds to the trial's identity."""
        return {"from": self.base, "critic": self.critic}

    def plain(self) -> dict[str, str]:
        """As parameters have it."""
        return {**self.signature(), "kind": self.kind}


def is_identity(text: str) -> bool:
    """Whether a text has the form of a trial's identity."""
    return re.fullmatch(r"[0-9a-f]{12}", text) is not None


def check_layers(trial: TrialConfig) -> None:
    """Refuse a base whose networks are taken over and have other layers, where it is known: its constraint put them in.

    With ``bjorck`` a network has GroupSort for its activations; its weights are another function without it.
    """
    start = trial.start
    base = None if start is None else start.described
    if start is None or base is None:
        return
    for section in ("generator_constraint", *(["constraint"] if start.critic == "kept" else [])):
        own, due = getattr(trial, section), getattr(base, section)
        require(
            type(own).prepare is type(due).prepare,
            f"a network that is taken over from a base keeps its layers, which section '{section}' changes, got "
            f"{own.name} and {due.name} of the base; repeat it, or use start.critic: fresh",
        )


def check_reading(trial: TrialConfig) -> None:
    """Refuse a trial of no iterations that is not its base, read at another λ.

    What is known of the base must agree: the range of λ it was trained for, and what a logit of its critic means.
    """
    start = trial.start
    require(
        start is not None and start.critic == "kept",
        "training.iterations must be ≥ 1, got 0; only a trial with start: {from: base, critic: kept} may have none, "
        "and is its base read at another λ",
    )
    require(
        trial.model.takes_lam,
        f"training.iterations: 0 reads a base at another λ, which needs a model that takes λ, and "
        f"'{trial.model.name}' does not; write model.takes_lam: true, which mlp_gan and dcgan have, or train",
    )
    base = None if start is None else start.described
    if base is None:
        return
    for section in ("constraint", "generator_constraint"):
        own, due = getattr(trial, section), getattr(base, section)
        require(
            own == due,
            f"with training.iterations: 0 section '{section}' must be that of the base, got {own.plain()} and "
            f"{due.plain()}; repeat it",
        )
    own, due = meaning(trial.objective), meaning(base.objective)
    require(
        own == due,
        "with training.iterations: 0 the objective must read logits as that of the base does, or its critic is "
        f"misread, got {own} and {due}; repeat it",
    )
    (low, high), (least, most) = base.objective.lam_span(), trial.objective.lam_span()
    require(
        low <= least and most <= high,
        f"a base is read at a λ that it was trained for, {low:g} to {high:g}, got "
        f"{least if least < low else most:g}; widen base.objective.lams",
    )


def meaning(objective: Objective) -> str:
    """An objective in words, as far as what log r̂ is at a logit depends on it."""
    fields = {name: getattr(objective, name) for name in _LOGIT if hasattr(objective, name)}
    told = [
        name if value is True else f"{name} {value}" for name, value in fields.items() if value is not False
    ]
    return " with ".join([objective.name, *([", ".join(told)] if told else [])])
