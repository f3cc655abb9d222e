"""PyTorch and mathematics: divergences, models, objectives, training, refinement, measures."""
