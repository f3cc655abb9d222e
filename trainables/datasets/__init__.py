"""Real data: toy densities with known log p."""
