"""Agents at their terminals: the program, its screen, and what tells of its status."""
