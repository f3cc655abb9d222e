"""Trained trials as models of MLflow: folders that load and serve without this package."""

from explorer.models.environment import look_around
from explorer.models.folder import DESCRIPTION, Unmade, logged, model_files
from explorer.models.trying import Tried

__all__ = ["DESCRIPTION", "Tried", "Unmade", "logged", "look_around", "model_files"]
