"""Ray, kept in a process of its own: what it takes with it when it dies is that process, not the sweep."""
