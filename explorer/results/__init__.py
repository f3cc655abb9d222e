"""Trials as read back from the tracking store."""
