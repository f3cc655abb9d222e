"""Where samples come from: laws, arrays, files."""
