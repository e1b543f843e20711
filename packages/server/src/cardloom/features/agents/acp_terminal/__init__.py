"""The terminal of an agent that has none: a program that talks the Agent Client Protocol and shows the conversation."""
