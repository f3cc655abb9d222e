"""Sweeps over the precision-recall trade-off: specification, search, launch, tracking, analysis."""
