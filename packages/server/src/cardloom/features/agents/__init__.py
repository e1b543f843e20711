"""Agents and shells as cards see them: the list, and the events of their status and turns."""
