"""A sweep as one HTML file."""
