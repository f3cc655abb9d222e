"""Figures of the papers, computed again."""

from explorer.reproduce.record import Panel, Reproduction
from explorer.reproduce.registry import REPRODUCTIONS, reproduction

__all__ = ["REPRODUCTIONS", "Panel", "Reproduction", "reproduction"]
