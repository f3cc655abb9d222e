"""The Lipschitz constant of networks: bounded from above, held down, and seen from below."""
