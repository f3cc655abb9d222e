"""Trained trials as models of MLflow: folders that load and serve without this package."""

from explorer.models.folder import Unmade, model_files

__all__ = ["Unmade", "model_files"]
