"""Inputs of ``tradeoff measure`` as they should not be, drawn from a seed."""

from tests.explorer.measure.mangled.cases import EXECUTED, Case, mangled_measures

__all__ = ["EXECUTED", "Case", "mangled_measures"]
