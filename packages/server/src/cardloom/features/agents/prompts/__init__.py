"""Prompts: one way from everybody who sends one to the agent's input box, and the queue on that way."""
