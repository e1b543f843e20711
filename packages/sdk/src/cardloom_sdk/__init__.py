"""Headless cards, a client for a running canvas, and test hosts."""
