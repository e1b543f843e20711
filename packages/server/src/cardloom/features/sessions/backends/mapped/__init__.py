"""Engines with an API of their own, attached by a mapping file: routes, field paths, names of events. No code."""
