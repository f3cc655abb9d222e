"""One training loop for one trial or many: populations of stacked trials."""
