"""A trained trial by itself: its networks and what its critic is worth, enough to draw samples at any budget."""
