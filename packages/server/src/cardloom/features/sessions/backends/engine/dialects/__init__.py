"""The ways in which endpoints are spoken to: what a request looks like, and how its stream is read."""
