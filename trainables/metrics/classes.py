"""Which classes a model makes, and how often, where the extractor can tell classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.metrics.metric import Entry, Metric, Scores

if TYPE_CHECKING:
    from trainables.metrics.pair import Pair

__all__ = ["ClassCoverage"]

HELD = 0.2
"""The share of its real frequency from which on a class is held: that of ``modes_held``."""


@dataclass(frozen=True)
class ClassCoverage(Metric):
    """Class histograms p of real and q of generated samples, each sample in the class of its largest logit.

    A class c of the real samples is covered if q_c > p_c/5; of C equally frequent ones, if it holds more than 1/(5C).
    """

    name: ClassVar[str] = "classes"
    everyday: ClassVar[int | None] = 4
    needs: ClassVar[frozenset[str]] = frozenset({"logits"})
    entries: ClassVar[tuple[Entry, ...]] = (
        Entry(
            "class_coverage",
            "Classes covered",
            "Share of real classes generated more than a fifth as often as they are real.",
            "max",
            0,
            1,
        ),
        Entry(
            "class_entropy",
            "Class entropy",
            "Entropy of the generated classes over log C: 1 where all are as frequent, 0 where there is one.",
            "max",
            0,
            1,
        ),
        Entry(
            "class_distance",
            "Class distance",
            "Total variation between the class histograms of real and generated samples.",
            "min",
            0,
            1,
        ),
    )

    def left_out(self, logits: bool) -> str | None:
        """Classes are what it is about."""
        return None if logits else "class coverage needs class logits, which these features do not have"

    def measure(self, pair: Pair) -> Scores:
        """Covered share, H(q)/log C and ½Σ|p_c - q_c|; C is the number of logits."""
        from trainables.measures.classes import class_scores, normalised_entropy

        if pair.logits is None or pair.real_logits is None:
            return Scores({}, left_out=self.left_out(logits=False))
        pair.stage("classes of samples")
        real, fake = (logits.argmax(1).cpu().numpy() for logits in (pair.real_logits, pair.logits))
        found = class_scores(real, fake, HELD)
        return Scores(
            {
                "class_coverage": found.covered / found.classes,
                "class_entropy": normalised_entropy(found.fake_share, pair.logits.shape[1]),
                "class_distance": found.distance,
            }
        )
