"""OpenCode as a backend: its server keeps the sessions and carries out the runs."""
