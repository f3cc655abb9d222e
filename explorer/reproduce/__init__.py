"""Figures of the papers, computed again."""

from explorer.reproduce.record import Compared, Panel, Reproduction, Table
from explorer.reproduce.registry import REPRODUCTIONS, panels, reproduction

__all__ = ["REPRODUCTIONS", "Compared", "Panel", "Reproduction", "Table", "panels", "reproduction"]
