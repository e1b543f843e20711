"""The back end of a small shop."""
