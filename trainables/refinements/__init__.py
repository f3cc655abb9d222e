"""Refinements: what is done with a trained model's samples before they are used. One file each."""

from trainables.family import Family
from trainables.refinements.refinement import Proposals, Refined, Refinement

__all__ = ["REFINEMENTS", "Proposals", "Refined", "Refinement"]

REFINEMENTS: Family[Refinement] = Family("refinement", Refinement, __name__, default="obrs")
"""Every refinement by name."""
