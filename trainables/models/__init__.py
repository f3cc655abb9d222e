"""Models: a generator and the critic that teaches it. One file each; their parts are in ``layers``."""

from trainables.family import Family
from trainables.models.model import Model

__all__ = ["MODELS", "Model"]

MODELS: Family[Model] = Family("model", Model, __name__, default="mlp_gan")
"""Every model by name."""
