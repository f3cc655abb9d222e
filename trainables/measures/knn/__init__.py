"""The k-nearest-neighbour engine: exact radii and ball membership without an N×N array."""
