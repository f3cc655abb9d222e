"""Constraints on the Lipschitz constant of a critic, and the constant itself, measured."""
