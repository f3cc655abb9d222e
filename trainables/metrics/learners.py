"""Classifiers by name, of which a curve or a frontier of real against generated samples can be made."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

__all__ = ["LEARNERS", "Learner"]

Learner: TypeAlias = Literal["ensemble", "logistic", "mlp", "knn"]
"""``trainables/measures/learners.py`` has what they are; here they are names, which load nothing."""

LEARNERS: tuple[Learner, ...] = get_args(Learner)
