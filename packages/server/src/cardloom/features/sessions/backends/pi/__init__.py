"""pi as a backend: its session files are the sessions, its program carries out the runs."""
