"""Sessions of the UI ⇄ backend protocol: the backends that carry out their runs."""
