"""Trained trials as models of MLflow: folders that load and serve without this package."""

from explorer.models.environment import look_around
from explorer.models.folder import DESCRIPTION, Unmade, logged, model_files

__all__ = ["DESCRIPTION", "Unmade", "logged", "look_around", "model_files"]
