"""Where tables of trials come from: MLflow stores of anybody, CSV files, Optuna's storages, Ray's results."""

from explorer.sources.opening import checked_source, open_source
from explorer.sources.source import Source, Watching, guessed_goals, redirected

__all__ = ["Source", "Watching", "checked_source", "guessed_goals", "open_source", "redirected"]
