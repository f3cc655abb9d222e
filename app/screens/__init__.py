"""The pages: each is a function that draws a scene."""
