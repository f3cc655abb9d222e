"""Sources of points: what a search hands to the launcher."""
