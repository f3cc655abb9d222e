"""Faults put into real sweeps at random moments, and what must hold after each."""
