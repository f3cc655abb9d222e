"""What a measurement is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from explorer.devices import check_device, torch_device
from explorer.errors import UserError, brief
from trainables.metrics import Metric, every_metric
from trainables.metrics.learners import LEARNERS
from trainables.nearest import nearest

__all__ = [
    "MeasureSettings",
    "all_metrics",
    "metric_words",
    "parse_metrics",
    "with_classifier",
]

FIELD = "learner"
"""What metrics call the classifier that they are made of."""


def all_metrics() -> tuple[Metric, ...]:
    """Every metric that two sample sets alone allow, with its defaults."""
    return tuple(metric for metric in every_metric() if "law" not in metric.needs)


def metric_words(metrics: Sequence[Metric]) -> list[str]:
    """What may be asked for: ``precision``, ``fid``, ``prd``, …: the parts of keys before the dot."""
    keys = [entry.key for metric in metrics for entry in metric.entries]
    return list(dict.fromkeys(key.partition(".")[0] for key in keys))


def with_classifier(metrics: Sequence[Metric], name: str) -> tuple[Metric, ...]:
    """The same metrics; what is made of a classifier of real against fake is made of the one called ``name``."""
    if name not in LEARNERS:
        hint = nearest(name, LEARNERS, otherwise="")
        raise UserError(f"classifier must be one of {', '.join(LEARNERS)}, got '{brief(name, 60)}'{hint}")
    return tuple(_learning(metric, name) for metric in metrics)


def _learning(metric: Any, name: str) -> Any:
    """The metric itself, where it has no field for a classifier."""
    has = any(declared.name == FIELD for declared in metric.declared())
    return replace(metric, **{FIELD: name}) if has else metric


@dataclass(frozen=True)
class MeasureSettings:
    """Choices that change the numbers.

    - ``words``: what is asked for, as in ``metric_words``; all of it when left open;
    - ``metrics``: the members that measure it, with their fields;
    - ``k``: neighbours of the k-NN metrics;
    - ``draws``, ``level``: of intervals; only metrics of your own draw samples again.
    """

    words: tuple[str, ...] | None = None
    metrics: tuple[Metric, ...] = field(default_factory=all_metrics)
    k: int = 5
    seed: int = 0
    device: str = "auto"
    draws: int = 500
    level: float = 0.95

    def chosen(self) -> tuple[Metric, ...]:
        """The members that measure what is asked for."""
        if self.words is None:
            return self.metrics
        return tuple(m for m in self.metrics if set(metric_words([m])) & set(self.words))

    def wants(self, key: str) -> bool:
        """Whether a number is asked for."""
        return self.words is None or key.partition(".")[0] in self.words

    def check(self) -> None:
        """Refuse what no measurement could be made with; torch is not asked."""
        if self.k < 1:
            raise UserError(f"k must be at least 1, got {self.k}")
        if not 0 <= self.seed < 1 << 63:
            raise UserError(f"the seed must be a whole number from 0 to 2^63 - 1, got {self.seed}")
        check_device(self.device)

    def torch_device(self) -> str:
        """The device by its torch name; ``auto`` is CUDA where there is one."""
        self.check()
        return torch_device(self.device)


def parse_metrics(text: str | None) -> tuple[str, ...] | None:
    """Metric words from a list with commas; None, which means all of them, when left out."""
    if text is None:
        return None
    known = metric_words(all_metrics())
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        hint = nearest(unknown[0], known, otherwise="") if unknown else ""
        raise UserError(f"metrics must be among {', '.join(known)}, got '{', '.join(unknown) or text}'{hint}")
    return names
