"""Objectives: what critic and generator minimise. One file each; f-GANs share one."""

from trainables.family import Family
from trainables.objectives.objective import Adversarial, Objective

__all__ = ["OBJECTIVES", "Adversarial", "Objective"]

OBJECTIVES: Family[Objective] = Family("objective", Objective, __name__, default="pr")
"""Every objective by name."""
