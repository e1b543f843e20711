"""Workspaces, cards and arrows as records."""
