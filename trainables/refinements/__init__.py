"""Refinements: what is done with a trained model's samples before they are used. One file each."""

from trainables.family import Family
from trainables.refinements.draws import Block, Proposals
from trainables.refinements.refinement import Refined, Refinement

__all__ = ["REFINEMENTS", "Block", "Proposals", "Refined", "Refinement"]

REFINEMENTS: Family[Refinement] = Family("refinement", Refinement, __name__, default="obrs")
"""Every refinement by name."""
