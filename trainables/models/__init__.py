"""Generators, critics and flows: plain modules, written for one trial and stacked by the training loop."""
