"""Choosing points of a space: every one, at random, or by Optuna."""
