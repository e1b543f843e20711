"""The agents on the canvas as a backend: each card is a session."""
