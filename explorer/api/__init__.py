"""The product from Python, for notebooks and scripts: ``import explorer.api as te``.

Commands and these names do the same work. Nothing heavy is imported until a function needs it; what is wrong with the
input is one sentence, raised as ``UserError``; nothing is printed unless it is asked for.
"""

from explorer.api.analysis import audit, figure, front, report
from explorer.api.comparing import Compared, compare_runs
from explorer.api.launching import load_sweep, plan, presets, run_sweep
from explorer.api.measuring import compare, measure
from explorer.api.promoting import promote
from explorer.api.reading import Results, beside, results, results_from, sweeps
from explorer.api.refining import refine, sample
from explorer.api.transferring import export_sweep, import_samples, import_sweep
from explorer.errors import UserError

__all__ = [
    "Compared",
    "Results",
    "UserError",
    "audit",
    "beside",
    "compare",
    "compare_runs",
    "export_sweep",
    "figure",
    "front",
    "import_samples",
    "import_sweep",
    "load_sweep",
    "measure",
    "plan",
    "presets",
    "promote",
    "refine",
    "report",
    "results",
    "results_from",
    "run_sweep",
    "sample",
    "sweeps",
]
