"""The product from Python, for notebooks and scripts: ``import explorer.api as te``.

Commands and these names do the same work. Nothing heavy is imported until a function needs it; what is wrong with the
input is one sentence, raised as ``UserError``; nothing is printed unless it is asked for.
"""

from explorer.api.analysis import audit, figure, front, report
from explorer.api.launching import load_sweep, plan, presets, run_sweep
from explorer.api.measuring import compare, measure
from explorer.api.promoting import promote
from explorer.api.reading import Results, results, sweeps
from explorer.errors import UserError

__all__ = [
    "Results",
    "UserError",
    "audit",
    "compare",
    "figure",
    "front",
    "load_sweep",
    "measure",
    "plan",
    "presets",
    "promote",
    "report",
    "results",
    "run_sweep",
    "sweeps",
]
