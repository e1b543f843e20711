"""The machine under us: database, consoles, processes."""
