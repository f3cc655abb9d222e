"""Views of a sweep, each a function that draws itself."""
