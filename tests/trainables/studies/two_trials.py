"""Two trials on eight Gaussians, trained for a moment: what studies of states and of critics begin with."""

from __future__ import annotations

from trainables.config import TrainingConfig, TrialConfig
from trainables.datasets.gaussians8 import Gaussians8
from trainables.objectives.fgan import Gan
from trainables.objectives.obrs import Obrs

__all__ = ["CONFIGS", "TRAINING"]

TRAINING = TrainingConfig(iterations=40, batch_size=64, critic_steps=1, ema=0.9)
CONFIGS = [
    TrialConfig(Gaussians8(), objective=objective, training=TRAINING, seed=seed)
    for seed, objective in enumerate((Gan(), Obrs()))
]
